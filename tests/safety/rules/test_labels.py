"""Labels, questions and speech, in each language; and that no text keeps the rules busy."""

from __future__ import annotations

import time

import pytest

from cua.safety.rules import RiskRules, ScreenEvidence, may_confirm
from cua.safety.rules.languages import KINDS, PURPOSES, judge_label, load_languages, load_phrases
from cua.safety.rules.speech import VERBS
from cua.safety.rules.words import MAX_TEXT_CHARS, read_label
from cua.types import Click, Drag, Keypress, ManualAction, Point, Type

LANGUAGES = load_languages()
HARMLESS = """
Send to back|Order by name|Restart tour|Reset zoom|Remove filter|Payment methods|Learn more
Share screen options|Sleep mode settings|Send feedback later|Documents|Delete key|Clear search
Buy options|Power options|Pay attention|Payment history|Format painter|Format cells|Erase tool
Shutdown settings|Restart later|Deleted items|Sending options|Posts|Order history|Install|Next
Transfer settings|Download|Restore down|Signature|Sign up|Publish date|Delete line|Merge cells
Call history|Post office|Filter löschen|Supprimer le filtre|フィルターを削除|필터 삭제|清除筛选
支付宝|支付方式|购买记录|Turn off subtitles|Remove link|Remove background|Restore pages
Empty line|Drop files here|Send to front|삭제된 항목|付款记录|Trust center|Turn on dark mode
Supprimer la colonne|Elimina riga|Excluir coluna|Usuń wiersz|Удалить столбец|Sütunu sil
Absatz formatieren|Formatear celdas|Återställ vy|Kolom verwijderen|Poista rivi|Διαγραφή στήλης
Learn more about erasing a Mac|En savoir plus sur la suppression|Search and replace|Save and close
Disable notifications|Gelöschte Elemente|已删除邮件|送信済み|Delete key not working? Read more
"""
DECLINES = """
Нет|Отмена|Annulla|Não|Nee|Nej|Avbryt|취소|아니요|Peruuta|İptal|稍后|不|Don't delete|Go back|Skip
Keep file|Maybe later|Remind me later|Abbrechen|Annuler|Cancelar|Anuluj|Zrušit|Mégse|Ακύρωση
Anulare|Odustani|Tühista|Hætta við|キャンセル|取消|Cancel (Esc)|&No
"""
RISKY = {
    "deletes": """
Block sender and delete|Remove & block|Bloquear y eliminar|Blocca ed elimina|Заблокировать и удалить
Delete 3 items|Delete…|&Delete|削除(D)|删除(&D)|ファイルを削除|このファイルを完全に削除する
파일 삭제|Dosyayı sil|SİL|SIL|Datei endgültig löschen|Supprimer le fichier|ΔΙΑΓΡΑΦΗ|Kaldır
Yes, delete it|Move to Trash|Empty Recycle Bin…|Delete Shift+Del|Delete    Del|Permanently delete
Delete photo?
Удалить навсегда|清空购物车|移到回收站|Remove from all devices|Uninstall Firefox|Delete ⌘⌫
I understand the consequences, delete this repository""",
    "spends": """
Pay $49.99|Pay now ($5)|Buy with 1-Click|Subscribe for $9.99/month|購入する|Kup teraz|立即购买""",
    "sends": """
Save and send|Speichern und senden
Report and block|Mitglied hinzufügen|Signaler comme spam|Denunciar|Dodaj użytkownika|举报|通報する
Luo käyttäjä|Bloquear e denunciar|Lägg till medlem|Подать заявление
Send to Bob|Sign|Send invoice|Reply all|送信する
Отправить сообщение""",
    "factory reset": """
Erase all content and settings|Format SD card|デバイスを初期化|Festplatte formatieren""",
    "power": """
Auf allen Geräten abmelden|Se déconnecter partout|Выйти со всех устройств|Odhlásit ze všech zařízení
Restart now|Reboot|Update and restart|Neu starten|シャットダウン|다시 시작""",
    "defences": """
Toch installeren|Installer quand même|Abrir de todos modos|Zainstaluj mimo to|Всё равно открыть
Rechte erteilen|Assegna ruolo|Otorgar permisos|Yetki ver|授予权限|권한 부여|Tildel rolle
Turn off Windows Defender Firewall|Disable antivirus|Run anyway|Proceed to a.example (unsafe)""",
}


def split(labels: str) -> list[str]:
    return [each for line in labels.split("\n") for each in line.split("|") if each.strip()]


def ask(action: ManualAction, seen: ScreenEvidence) -> str:
    risk = RiskRules().find_risk(action, seen)
    return risk.rule if risk else ""


def click(label: str = "", screen: str = "", said: str = "") -> str:
    return ask(Click(), ScreenEvidence(screen, said, label=label))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_is_reached(language: str) -> None:
    """None is hidden by another one, in this language or in another."""
    read = LANGUAGES[language].read_entries
    for kind, entry in [(name, each) for name in KINDS for each in read(name)]:
        label = entry.replace("*", "zzz")
        for names in [each for each in LANGUAGES[language].sections if f"<{each}>" in entry]:
            label = entry.replace(f"<{names}>", next(read(names)))
        found = judge_label(read_label(label))
        assert (found in PURPOSES) == (kind in PURPOSES), (kind, entry, found)
        assert found == kind or kind in PURPOSES, (kind, entry, found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_is_read(language: str) -> None:
    named = {each.names for each in LANGUAGES[language].patterns}
    endings = ("asked", "shown", "screen", "drops", "ends", "said", "mentioned")
    others = {"fillers", "harmless words", "harmless objects", "bin", "tabs", "around", "runs"}
    others |= {"joins", "slides", "of", "forms", "endings"}
    others |= {
        *VERBS,
        "presses",
        "prepositions",
        "clauses",
        "reads",
        "negations",
        "later",
        "commits",
    }
    for section in LANGUAGES[language].sections:
        assert section in {*KINDS, *named, *others} or section.endswith(endings), section


@pytest.mark.parametrize("name", RISKY)
def test_labels_ask(name: str) -> None:
    for label in split(RISKY[name]):
        assert click(label) == name, label


def test_labels_and_declines_pass() -> None:
    asks = "Permanently delete 3 files? This cannot be undone."
    for label in split(HARMLESS) + split(DECLINES):
        assert not click(label), label
        assert not click(label, asks) or label in split(HARMLESS), label


QUESTIONS = {
    "Permanently delete 3 files?": ("Yes", "OK", "Continue"),
    "完全に削除しますか": ("はい", "確定", "OK"),
    "Sign this contract": ("Sign", "Confirm"),
    "Möchten Sie die Datei wirklich löschen?": ("Ja", "OK"),
    "¿Seguro que desea eliminar el archivo?": ("Sí", "Aceptar"),
    "Supprimer ce fichier ?": ("Oui", "Continuer"),
    "Czy na pewno chcesz usunąć plik?": ("Tak",),
    "Вы уверены, что хотите удалить файл?": ("Да", "ОК"),
    "파일을 삭제하시겠습니까": ("예", "확인"),
    "确定要删除此文件吗": ("是", "确定"),
    "¿Dar permisos de administrador a Ana?": ("Sí",),
    "Yönetici yetkisi verilsin mi?": ("Evet",),
    "Firmware update. Do not turn off the device. Start?": ("Yes", "Continue"),
    "Type the name of the project to confirm": ("Confirm",),
    "Bu dosyayı silmek istediğinizden emin misiniz?": ("Evet",),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plain_yes_answers_the_question_above_it(question: str) -> None:
    for label in QUESTIONS[question]:
        assert click(label, f"{question} {label} Cancel"), label
        assert not click(label, f"Do you want to see the report? {label}") or label == "Sign"
    assert not click("report.txt", question), "words around a label are not the label"
    assert click("", question, "I click Cancel."), "what stands there could not be read"


SAID = """
I click the trash icon|Klicke auf Löschen|Je clique sur Supprimer|Hago clic en Eliminar
Clicco su Elimina|Нажимаю кнопку «Удалить»|点击“删除”按钮|我点击删除按钮。
「削除」ボタンをクリックします|삭제 버튼을 클릭합니다|Clico em Excluir|Hit Enter on Erase
Sil düğmesine tıklıyorum|Klikam Usuń|Ik klik op Verwijderen|Jag klickar på Ta bort|
I press the red "Delete account" button.|I click **Delete**.
The file is old. Now I click Delete to get rid of it.
I publish the article now.|Ich sende die E-Mail jetzt ab.|Je valide le paiement.|Confirmo el pago.
我现在发布文章。|ファイルを削除します。|Delete the file.|I click Apply to wipe the partition table.
I finish the order.|Deleting the file now.|Jag betalar räkningen.|我现在发送这封邮件。
I click Yes in the User Account Control prompt.|"결제" 버튼을 눌러 주문을 완료합니다.
Next I sign the contract by clicking the signature confirmation.|Submitting the tax return.
I switch off the firewall toggle as the guide says.|I double-click the downloaded setup file.
I get rid of the blurry photos.|I turn the firewall off.
Je clique sur le bouton pour envoyer la facture.|I proceed with deleting the backup.
I answer y so that the file is deleted.|Ich entferne Anna.|Jetzt sperre ich den Bildschirm.
Ich klicke auf die Schaltfläche, um die Bestellung abzuschicken.|我把这三个文件删除。
"""
NOT_SAID = """
I click Send to back.|I do not click Delete, I click Cancel.
I click the link about payments to read it.|Instead of clicking Delete I click the name.
I clicked Send and it was sent. Now I click Inbox.|I click Cancel so that nothing is deleted.
I click the text field, then I will click Send.
「キャンセル」をクリックして、削除をやめます。|I delete the typo.
I send the query.|Ich lösche den Filter.|Ich sende nichts ab.|No elimino nada.
Ik klik op Annuleren om niets te verwijderen.
I click the column header to order the files by name.|I go back to the cart without buying.
I turn off the notification sound.|I remove the red eyes from the portrait.
I send the shape to the back so that the text is visible.|I click Save draft; I will send it later.
I click the first result, an article on how to format a disk.
I click the link "Delete your account" in the help centre to read how it works.
"""


def test_what_the_model_says_that_it_clicks_is_a_label() -> None:
    for said in split(SAID):
        assert click(said=said), said
    for said in split(NOT_SAID):
        assert not click(said=said), said
    for said in ("Hit Enter on Erase", "I press Enter to send the message.", "Enter deletes it."):
        assert ask(Keypress(keys=("ENTER",)), ScreenEvidence(thought=said)), said
    assert not ask(ENTER, ScreenEvidence("login:")), "a name, and no password"


@pytest.mark.parametrize(
    ("screen", "said", "asks"),
    [
        ("Kontakte · 57 ausgewählt · Löschen  Exportieren", "Delete the selection.", True),
        ("Kontakte · 57 ausgewählt · Löschen  Exportieren", "The list of contacts is open.", False),
        ("Kontakte · 57 ausgewählt · Löschen  Exportieren", "Who deleted the others?", False),
        ("Éteindre · Redémarrer · Annuler", "First entry.", True),
        ("Éteindre · Redémarrer · Annuler", "I cancel it.", False),
        ("Abonnement · € 12,50 per maand · Bevestigen", "The contract is concluded.", True),
        ("Delete 3 files? · Yes  No", "No, they are still needed.", False),
        ("Möchten Sie löschen? · Ja  Nein", "I choose Nein.", False),
        ("Möchten Sie löschen? · Ja  Nein", "I confirm the question.", True),
        ("Delete 3 files? · Delete  Cancel", "Of Delete and Cancel it is the first.", True),
        ("Delete 3 files?", "I click Cancel.", True),
        ("Explorer · delete-user.test.ts", "I open the test that deletes a user.", False),
        ("Uninstall · Keep all", "All programs shall remain on this computer.", False),
        ("Uninstall · Keep all", "They must stay, so I confirm the removal.", True),
        ("Cart · 2 items · Buy", "Everything is filled in.", True),
        ("Yes, format · [No]", "I go over to No.", False),
        ("Games · Uninstall Chess · Uninstall", "It takes too much room.", True),
        ("Czy usunąć konto? · Usuń · Anuluj", "Konto nie jest potrzebne.", True),
        ("Удалить диск D? · Да  Нет", "Да, он не нужен.", True),
        ("Cart · 2 items · Buy", "I sort the items by price.", False),
        ("Cart · € 20 · Place order", "I lower the quantity to 1.", False),
        ("Trash · 9 messages · Empty trash", "I open the first message.", False),
        ("Papierkorb · 9 Mails · Papierkorb leeren", "Ich öffne die erste Mail.", False),
        ("Koszyk · 84 zł", "Klikam, aby zatwierdzić zamówienie.", True),
        ("", 'I tap "Reset all settings".', True),
    ],
)
def test_what_the_model_speaks_of_tells_which_button_it_clicks(
    screen: str, said: str, asks: bool
) -> None:
    assert bool(click(screen=screen, said=said)) == asks


def test_a_click_or_a_key_runs_the_statement_on_the_screen() -> None:
    console = "Console · DROP TABLE dbo.orders · 0 rows"
    assert click("Execute", console)
    assert ask(Keypress(keys=("F5",)), ScreenEvidence(console, "I run the query."))
    assert not ask(Keypress(keys=("F5",)), ScreenEvidence(console, "I reload the page."))
    assert not click("Execute", "Console · SELECT * FROM orders")
    rules = RiskRules()
    rules.note(Type(text="rm -rf /srv"))
    assert rules.find_risk(ENTER, ScreenEvidence("", "I run the command.")), "and what was typed"


def test_a_login_is_risky_where_a_password_is_on_the_screen() -> None:
    for label, password in (("Sign in", "Name ••••••"), ("Se connecter", "Mot de passe")):
        assert click(label, password) == "signs in"
        assert not click(label, "News  Politics")


def test_an_approval_of_an_amount_is_risky() -> None:
    for screen in ("Expenses of June · € 340.10 · Reject", "Fees · 120 CHF", "報告 · ¥8,640"):
        assert click("Approve", screen) == "spends"
        assert not click("Next", screen)
    assert not click("Approve", "Draft 3 of the handbook")


def test_no_and_a_tab_pass_in_a_firmware_setup() -> None:
    question = "Load Optimized Defaults?  Save configuration and reset?  Yes  No"
    assert click("Yes", question)
    assert not click("No", question)
    assert not click("Main", "Aptio Setup Utility  Main  Boot  Exit")


def test_a_label_that_begins_the_question_answers_it() -> None:
    assert click("Stop", "Stop virtual machine 'db'. Do you want to stop it? Stop Cancel")
    assert not click("Rename", "It exists. Overwrite it? Rename Overwrite Cancel")
    assert not click("Wipe", "Transitions  Fade  Push  Split"), "an effect of slides"


@pytest.mark.parametrize(
    ("key", "screen", "asks"),
    [
        ("CTRL+D", "Delete (Ctrl+D)", True),
        ("WIN+ENTER", "Send now ⌘Enter", True),
        ("F8", "F7 Mkdir  F8: Delete", True),
        ("ENTER", "Enter Send Esc Cancel", True),
        ("F10", "F9Kill F10Quit", False),
        ("CTRL+H", "Replace… Ctrl+H", False),
        ("CTRL+C", "Copy Ctrl+C  Delete Del", False),
        ("CTRL+C", "Copy Ctrl+C Delete Del", False),
        ("ENTER", "Delete 3 files? Yes [No]", False),
        ("ENTER", "Delete 3 files? [Yes] No", True),
        ("SPACE", "Pay now [focused]", True),
        ("ENTER", "Sign in  Password ••••••••", True),
        ("ENTER", "Sign in  Password", False),
        ("S", "¿Borrar el volumen? (S/N)", True),
        ("T", "Usunąć pliki? [t/N]", True),
        ("Д", "Удалить пакеты? [Д/н]", True),
        ("Y", "Purge 12 messages? ([yes]/no)", True),
        ("N", "¿Borrar el volumen? (S/N)", False),
        ("D", "D=Delete Partition  C=Create", True),
        ("Q", "D=Delete Partition  Q=Quit", False),
        ("L", "To delete this partition, press L.", True),
        ("X", "Hit X to remove the volume.", True),
        ("A", "I press a key. To delete it press D.", False),
        ("D", "[D]elete  [R]ename", True),
    ],
)
def test_the_screen_tells_what_a_key_does(key: str, screen: str, asks: bool) -> None:
    assert bool(ask(Keypress(keys=tuple(key.split("+"))), ScreenEvidence(screen))) == asks


def test_a_password_is_asked_about_in_a_form_and_at_a_prompt() -> None:
    for typed, screen in (("anna\tcorrecthorse\n", "Password"), ("horse\n", "Password:")):
        assert ask(Type(text=typed), ScreenEvidence(screen)) == "credentials"
    assert not ask(Type(text="anna\t"), ScreenEvidence("User name  Password"))
    assert ask(Type(text="anna\thorse\n"), ScreenEvidence("Printer · Log in")) == "credentials"


def test_text_of_a_document_is_no_command() -> None:
    line, said = Type(text="Run `git push --force`\n"), "I write this in the document."
    assert not ask(line, ScreenEvidence("README.md  Ln 12, Col 1", said))
    for screen in ("", "README.md  Ln 12, Col 1  TERMINAL", "Ln 12, Col 1\nann@web:~$"):
        assert ask(line, ScreenEvidence(screen, said))
    assert ask(line, ScreenEvidence("README.md  Ln 12, Col 1", "I run it."))


@pytest.mark.parametrize(("typed", "asks"), [("no", False), ("n", False), ("no, delete it", True)])
def test_a_typed_no_declines_only_alone(typed: str, asks: bool) -> None:
    rules = RiskRules()
    rules.note(Type(text=typed))
    seen = ScreenEvidence("Delete 3 files permanently? (yes/no)")
    assert bool(rules.find_risk(ENTER, seen)) == asks


DELETE, ENTER = Keypress(keys=("DELETE",)), Keypress(keys=("ENTER",))
ACROSS = Drag(path=(Point(x=0.1, y=0.1), Point(x=0.9, y=0.9)))


@pytest.mark.parametrize(
    ("action", "seen", "asks"),
    [
        (DELETE, ScreenEvidence("Name Date modified Type  3 items selected"), True),
        (DELETE, ScreenEvidence(thought="I press Delete to remove the selected files."), True),
        (DELETE, ScreenEvidence("已选择 3 个项目"), True),
        (DELETE, ScreenEvidence(), False),
        (DELETE, ScreenEvidence(thought="I delete the typo in the file name."), False),
        (Keypress(keys=("CMD", "DELETE")), ScreenEvidence(), True),
        (ACROSS, ScreenEvidence(label="Recycle Bin"), True),
        (ACROSS, ScreenEvidence(label="Papierkorb"), True),
        (ACROSS, ScreenEvidence(thought="I drag the file to the trash."), True),
        (ACROSS, ScreenEvidence(thought="我把文件拖到回收站"), True),
        (ACROSS, ScreenEvidence(thought="I drag the file out of the trash to Documents."), False),
        (ACROSS, ScreenEvidence(label="Documents"), False),
        (ACROSS, ScreenEvidence("Slide to pay · $22.00"), True),
        (ACROSS, ScreenEvidence("Zum Ausschalten schieben"), True),
        (ACROSS, ScreenEvidence("滑动来关机 · 取消"), True),
        (ACROSS, ScreenEvidence("Slide to unlock · Delete"), False),
    ],
)
def test_files_deleted_by_key_or_drag(
    action: ManualAction, seen: ScreenEvidence, asks: bool
) -> None:
    assert bool(ask(action, seen)) == asks


def test_a_text_that_is_too_long_is_asked_about_at_once() -> None:
    for field in ("screen", "thought", "label"):
        for piece in (
            "delete ",
            "?",
            "a",
            "确",
            '"',
            "click delete ",
            "(&",
            "1.",
            "ctrl+",
            "y/",
            "[a",
        ):
            started = time.process_time()
            assert ask(ENTER, ScreenEvidence(**{field: piece * 100_000}))
            assert time.process_time() - started < 1.0
    assert not may_confirm(Type(text="delete " * 1400))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_keeps_the_rules_busy(language: str) -> None:
    """The text is made of all that this language's rules look for."""
    words = LANGUAGES[language]
    text = " ".join(each for section in words.sections for each in words.read_entries(section))
    forms = (text, text[::-1], text.replace(" ", ""), text.replace(" ", "? "))
    clicks: list[tuple[str, ManualAction]] = [(each, Click()) for each in forms]
    for hostile, action in (*clicks, (text, Keypress(keys=("CTRL", "D")))):
        pumped = (hostile * (1 + MAX_TEXT_CHARS // len(hostile)))[:MAX_TEXT_CHARS]
        started = time.process_time()
        ask(action, ScreenEvidence(pumped, pumped, label=pumped))
        load_phrases("shown").meanings(read_label(pumped))
        assert time.process_time() - started < 1.5
