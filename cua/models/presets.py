"""Settings to prefill for common servers; they take effect when the person submits them."""

from __future__ import annotations

from typing import NamedTuple

from cua.messages import Message


class Preset(NamedTuple):
    """An empty `base_url` is the provider's own; `models`: pattern of names that only it has."""

    name: str
    label: str
    api_type: str
    base_url: str
    example: str
    help: str
    models: str = ""


PRESETS = (
    Preset(
        "dashscope",
        Message("settings.preset.dashscope"),
        "dashscope",
        "",
        "qwen3-vl-plus",
        Message("settings.preset.dashscope.help"),
        r"^qwen[\w.-]*(plus|max|flash)|^qvq|^gui-plus",
    ),
    Preset(
        "dashscope-intl",
        Message("settings.preset.dashscope_intl"),
        "dashscope",
        "https://dashscope-intl.aliyuncs.com/api/v1",
        "qwen3-vl-plus",
        Message("settings.preset.dashscope_intl.help"),
    ),
    Preset(
        "openai",
        "OpenAI",
        "responses",
        "",
        "gpt-5.4",
        Message("settings.preset.openai.help"),
        r"^gpt-|^computer-use-preview|^o\d",
    ),
    Preset(
        "anthropic",
        "Anthropic",
        "anthropic",
        "",
        "claude-sonnet-4-5",
        Message("settings.preset.key"),
        r"^claude",
    ),
    Preset(
        "gemini",
        "Google Gemini",
        "genai",
        "",
        "gemini-3-flash",
        Message("settings.preset.key"),
        r"^gemini",
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "openai",
        "https://openrouter.ai/api/v1",
        "qwen/qwen3-vl-30b-a3b-instruct",
        Message("settings.preset.openrouter.help"),
    ),
    Preset(
        "vllm",
        Message("settings.preset.vllm"),
        "openai",
        "http://localhost:8000/v1",
        "Qwen/Qwen3-VL-8B-Instruct",
        Message("settings.preset.vllm.help"),
    ),
    Preset(
        "llama_cpp",
        "llama.cpp",
        "openai",
        "http://localhost:8080/v1",
        "Qwen3-VL-8B-Instruct",
        Message("settings.preset.llama_cpp.help"),
    ),
    Preset(
        "ollama",
        "Ollama",
        "openai",
        "http://localhost:11434/v1",
        "qwen3-vl:8b",
        Message("settings.preset.ollama.help"),
    ),
    Preset(
        "lm_studio",
        "LM Studio",
        "openai",
        "http://localhost:1234/v1",
        "qwen3-vl-8b",
        Message("settings.preset.lm_studio.help"),
    ),
    Preset(
        "local",
        Message("settings.api_type.local"),
        "local",
        "",
        "",
        Message("settings.api_type.local.help"),
    ),
)
