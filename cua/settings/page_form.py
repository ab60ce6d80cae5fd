"""The page's form for the settings: groups, choices, and fields hidden at first."""

from __future__ import annotations

from typing import NamedTuple, get_args

from ..messages import Message
from .fields import SECRETS, Settings

API_TYPES: tuple[str, ...] = get_args(Settings.model_fields["api_type"].annotation)
SERVERS = tuple(each for each in API_TYPES if each != "local")
"""The API types that need a model server."""


class FormField(NamedTuple):
    group: str
    search: str
    """Search words in any language, beside the field's own texts."""
    advanced: bool = False
    """Whether the field is hidden at first while it has its default."""
    api_types: tuple[str, ...] = ()
    """The API types that use the field; empty: all."""


FORM = {
    "api_type": FormField("model", "provider protocol vendor key token 供应商 协议 密钥 令牌"),
    "base_url": FormField("model", "server host endpoint 服务器", api_types=SERVERS),
    "api_key": FormField("model", "token secret credential 密钥 令牌 密码", api_types=SERVERS),
    "model_name": FormField("model", "llm vlm", api_types=SERVERS),
    "img_keep_n": FormField("model", "pictures images history 图片", api_types=SERVERS),
    "max_rounds": FormField("model", "limit rounds turns 上限"),
    "dialect": FormField("model", "coordinates dialect 坐标", True, SERVERS),
    "screenshot_width": FormField("model", "resolution scale image 分辨率 缩放", True),
    "kvm": FormField("kvm", "host ip device connection 设备 连接"),
    "kvm_user": FormField("kvm", "login account 登录 账号 用户名"),
    "kvm_password": FormField("kvm", "login credential 登录 密码"),
    "kvm_code": FormField("kvm", "2fa otp totp login 两步验证 登录"),
    "kvm_certificate": FormField("kvm", "tls https 指纹", True),
    "stream_url": FormField("kvm", "mjpeg picture screen 画面", True),
    "target_os": FormField("target", "system 系统"),
    "keyboard_layout": FormField("target", "keys language 语言"),
    "pointer": FormField("target", "mouse cursor 鼠标 光标"),
    "pace": FormField("target", "slow keyboard keys 键盘"),
    "pointer_gain": FormField("target", "cursor pointer sensitivity 光标 鼠标", True),
    "unicode_entry": FormField("target", "special keyboard 中文 键盘", True),
    "wake_mac": FormField("target", "wol wake on lan mac power 唤醒", True),
    "gate": FormField("safety", "approval approve confirm permission 批准 确认"),
    "take_over": FormField("safety", "mouse keyboard by hand paste 鼠标 键盘 接管 粘贴"),
    "gate_ask": FormField("safety", "approval approve rules block 批准 规则"),
    "gate_pass": FormField("safety", "approval approve rules allow 批准 规则", True),
    "gate_reads": FormField("safety", "approval approve text 批准", True, SERVERS),
    "record_dir": FormField("safety", "history storage disk 历史", True),
    "record_mb": FormField("safety", "history storage disk 历史", True),
    "notify_url": FormField(
        "notify", "apprise ntfy telegram slack email e-mail push webhook 邮件 邮箱 推送 消息"
    ),
    "notify_screenshot": FormField("notify", "picture image 图片"),
    "check_done": FormField("behaviour", "finish verify 完成", api_types=SERVERS),
    "ask_again": FormField("behaviour", "finish verify 完成", api_types=SERVERS),
    "second_opinion": FormField("behaviour", "finish verify 完成", api_types=SERVERS),
    "prompt_addition": FormField("prompt", "house rules 规则", api_types=SERVERS),
    "initial_prompt": FormField("prompt", "system instructions 系统", api_types=SERVERS),
    "prompt_language": FormField("prompt", "chinese english 语言 中文 英文", True, SERVERS),
    "max_minutes": FormField("limits", "time duration timeout 时间"),
    "max_cost": FormField("limits", "money budget 预算", api_types=SERVERS),
    "price_in": FormField("limits", "money 费用", api_types=SERVERS),
    "price_out": FormField("limits", "money 费用", api_types=SERVERS),
    "max_tokens": FormField("limits", "budget limit 预算 上限", True, SERVERS),
}
"""The only settings that the page may change, in the order of the page."""
EDITABLE = tuple(name for name in FORM if name not in SECRETS)
"""The settings whose values the page shows."""

CHOICES: dict[str, list[tuple[str, str, str]]] = {
    "prompt_language": [("en", "English", ""), ("zh", "中文", "")],
    "gate": [
        ("risk", Message("settings.gate.risk"), Message("settings.gate.risk.help")),
        ("always", Message("settings.gate.always"), Message("settings.gate.always.help")),
        ("never", Message("settings.gate.never"), Message("settings.gate.never.help")),
    ],
    "target_os": [
        ("unknown", Message("settings.target_os.unknown"), ""),
        ("windows", "Windows", ""),
        ("macos", "macOS", ""),
        ("linux", "Linux", ""),
        ("android", "Android", ""),
        ("bios", Message("settings.target_os.bios"), Message("settings.target_os.bios.help")),
    ],
    "pace": [
        ("fast", Message("settings.pace.fast"), ""),
        ("careful", Message("settings.pace.careful"), Message("settings.pace.careful.help")),
    ],
    "pointer": [
        ("absolute", Message("settings.absolute"), Message("settings.absolute.help")),
        ("relative", Message("settings.relative"), Message("settings.relative.help")),
    ],
}
"""The choices of each setting: value, label and help text."""
