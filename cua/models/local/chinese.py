"""Chinese for the operator; see `grammar.py`."""

from __future__ import annotations

from .grammar import Grammar

_VERBS = (
    r"(?:打开|启动|点|单击|双击|右|选|按|敲|输入|键入|填|写|把|将|在|清|滚动|向|往|翻|等|检查|确认|核实|访问"
    r"|前往|浏览|转到|下载|运行)"
)
_TARGET = (
    r"(?:(?P<near>.+?)\s*(?P<where>旁边|右边|左边|下面|下方|上面|上方)的\s*)?"
    r"(?:第\s*(?P<nth>[一二三四五1-5])\s*个\s*)?(?P<label>.+?)"
)
_WAY = r"(?:[向往](?:下|(?P<up>上))\s*)?(?:滚动|翻页?|滑动)"
_TIMES = r"(?P<times>\d{1,3}|[一二两三四五])\s*[次下页]"
_SET = r"(?:设置?为|设成|改为|改成)"
_SET_DNS = rf"(?:[把将]|设置)?\s*DNS\s*(?:服务器)?(?:地址)?\s*(?:{_SET}|为)\s*"
_ADDRESS = r"(\d{1,3}(?:\.\d{1,3}){3})"
_NOTEPAD = r"在\s*记事本\s*[中里]?\s*(?:写[入下]?|输入)\s*(.+?)"
_SEEN = r"(?:显示|看[到见]|出现)"

CHINESE = Grammar(
    separators=r"[；。]+|，\s*(?:(?:并且?|然后|接着|之后)\s*)?|(?:然后|接着)",
    conjunctions=rf"\s*(?:并且?|再|和)\s*(?={_VERBS})",
    fillers=r"请|先|再|然后|接着|最后|现在|帮我|麻烦你?|\d+[、)]\s*",
    articles=r"^(?:这个|那个)\s*",
    kinds=r"(?<=.)\s*(?:按钮|图标|链接|菜单项?|标签页?|复选框|输入框|窗口|程序|应用)$",
    phrases={
        "visit": r"(?:访问|前往|浏览|转到|打开网址)\s*(?P<text>.+)",
        "open": rf"(?:打开|启动)\s*{_TARGET}",
        "double_click": rf"双击\s*{_TARGET}",
        "right_click": rf"(?:右键(?:单击|点击)?|右击)\s*{_TARGET}",
        "click": rf"(?:单击|点[击选]?|点一下|选择|选中)\s*{_TARGET}",
        "drag": r"[把将]\s*(?P<label>.+?)\s*拖[动拽]?[到至进]\s*(?P<end>.+)",
        "write_into": (
            r"(?:[把将]|输入|键入)\s*(?P<text>.+?)\s*(?:(?:输入|填入?|写入?)\s*[到进在]"
            r"|[到进](?=[\uE000-\uF8FF])|(?:这里)?\s*(?=→))\s*(?P<label>.+?)\s*[中里内]?"
        ),
        "fill": (
            r"[在把将]\s*(?P<label>.+?)\s*(?:[中里内]?\s*(?:输入|键入|填[入写]?|写入?)"
            rf"|{_SET})\s*(?P<text>.+)"
        ),
        "write": r"(?:输入|键入)\s*(?P<text>.+?)",
        "clear": r"清[空除]\s*(?P<label>.+?)",
        "press": rf"(?:按[下住]?|敲)\s*(?P<keys>.+?)\s*键?(?:\s*{_TIMES})?",
        "scroll_until": (
            rf"{_WAY}\s*(?:直到|到)\s*{_SEEN}?\s*(?P<label>.+?)\s*(?:出现|为止)?"
        ),
        "scroll": rf"{_WAY}(?:\s*{_TIMES})?",
        "rest": r"(?:等待?|暂停)\s*(?P<seconds>\d{1,4}(?:\.\d+)?)\s*(?:秒钟?|s)",
        "wait": rf"等[待到]?\s*{_SEEN}?\s*(?P<label>.+?)\s*(?:出现|显示)?",
        "check": (
            rf"(?:检查|确认|核实)\s*(?:(?P<no>没有|未|不)?\s*{_SEEN}[了着]?)?\s*(?P<label>.+?)"
            r"(?:\s*(?:(?P<gone>没有|未)|已)?\s*(?:显示|出现)了?)?"
        ),
    },
    goals={
        "dns": _SET_DNS + _ADDRESS,
        "two_dns": rf"{_SET_DNS}{_ADDRESS}\s*[和与及、]\s*{_ADDRESS}",
        "datasheet": r"下载\s*(.+?)\s*的?\s*(?:数据手册|datasheet)",
        "download": r"下载\s*(.+)",
        "save_note_as": rf"{_NOTEPAD}\s*(?:并且?|再)\s*(?:另存为|保存为)\s*(.+)",
        "save_note": rf"{_NOTEPAD}\s*(?:并且?|再)\s*保存",
        "note": _NOTEPAD,
        "run": r"(?:打开|在)\s*终端\s*[中里]?\s*(?:并且?|再)?\s*(?:运行|执行)\s*(.+)",
    },
    answers={
        "again": r"请?(?:继续|重试|再试一?次?|再来一次|好的?|是的?|可以|完成了?|好了)吧?[。！]*",
        "skip": r"请?(?:跳过|忽略|算了)(?:它|这个|这一?步)?吧?[。！]*",
        "which": r"(?:第\s*)?(?P<nth>[1-9一二三四五])\s*个?[。！]*",
    },
    markers={
        "then": r"^(?:然后|接着|之后|再)",
        "instead": rf"^(?:不，?\s*)?改(?:成|为)?\s*(?={_VERBS})",
    },
    numbers={"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5},
    where={"下面": "under", "下方": "under", "上面": "above", "上方": "above"},
    keys={
        "回车": "ENTER", "空格": "SPACE", "退格": "BACKSPACE",
        "上": "UP", "下": "DOWN", "左": "LEFT", "右": "RIGHT",
    },
    labels={
        "终端": "Terminal", "记事本": "Notepad", "浏览器": "Browser", "网络": "Network",
        "文件": "Files", "开始": "Start", "文件名": "File name", "保存": "Save",
        "另存为": "Save as", "取消": "Cancel", "确定": "OK", "关闭": "Close", "删除": "Delete",
        "编辑": "Edit", "是": "Yes", "否": "No", "稍后": "Later",
    },
)  # fmt: skip
