"""Settings to prefill for common servers; they take effect when the person submits them."""

from __future__ import annotations

from typing import NamedTuple

from cua.messages import Message


class Preset(NamedTuple):
    """`base_url`: "" for the provider's own; `models`: pattern of names that only it has."""

    label: str
    help: str
    name: str
    api_type: str
    base_url: str
    example: str
    models: str = ""


_KEY = Message("settings.preset.key")
_DASHSCOPE = Message("settings.preset.dashscope"), Message("settings.preset.dashscope.help")
_DASHSCOPE_INTL = (
    Message("settings.preset.dashscope_intl"),
    Message("settings.preset.dashscope_intl.help"),
)
_OPENAI = "OpenAI", Message("settings.preset.openai.help")
_OPENROUTER = "OpenRouter", Message("settings.preset.openrouter.help")
_VLLM = Message("settings.preset.vllm"), Message("settings.preset.vllm.help")
_LLAMA_CPP = "llama.cpp", Message("settings.preset.llama_cpp.help")
_OLLAMA = "Ollama", Message("settings.preset.ollama.help")
_LM_STUDIO = "LM Studio", Message("settings.preset.lm_studio.help")
_LOCAL = Message("settings.api_type.local"), ""
_INTL_URL = "https://dashscope-intl.aliyuncs.com/api/v1"
_OPENROUTER_URL = "https://openrouter.ai/api/v1"
_QWEN_NAMES = r"^qwen[\w.-]*(plus|max|flash)|^qvq|^gui-plus"
_GPT_NAMES = r"^gpt-|^computer-use-preview|^o\d"
_QWEN_8B, _QWEN_30B = "Qwen/Qwen3-VL-8B-Instruct", "qwen/qwen3-vl-30b-a3b-instruct"
PRESETS = (
    Preset(*_DASHSCOPE, "dashscope", "dashscope", "", "qwen3-vl-plus", _QWEN_NAMES),
    Preset(*_DASHSCOPE_INTL, "dashscope-intl", "dashscope", _INTL_URL, "qwen3-vl-plus"),
    Preset(*_OPENAI, "openai", "responses", "", "gpt-5.4", _GPT_NAMES),
    Preset("Anthropic", _KEY, "anthropic", "anthropic", "", "claude-sonnet-4-5", r"^claude"),
    Preset("Google Gemini", _KEY, "gemini", "genai", "", "gemini-3-flash", r"^gemini"),
    Preset(*_OPENROUTER, "openrouter", "openai", _OPENROUTER_URL, _QWEN_30B),
    Preset(*_VLLM, "vllm", "openai", "http://localhost:8000/v1", _QWEN_8B),
    Preset(*_LLAMA_CPP, "llama_cpp", "openai", "http://localhost:8080/v1", "Qwen3-VL-8B-Instruct"),
    Preset(*_OLLAMA, "ollama", "openai", "http://localhost:11434/v1", "qwen3-vl:8b"),
    Preset(*_LM_STUDIO, "lm_studio", "openai", "http://localhost:1234/v1", "qwen3-vl-8b"),
    Preset(*_LOCAL, "local", "local", "", ""),
)
