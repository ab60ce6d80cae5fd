"""Servers that people have: what to enter for each, and the names of models that only one has.

Only a help for filling in the settings: nothing here is in force until a person submits it.
"""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """`base_url` "" is the provider's own.

    `models` is the pattern of the names that only this service has, "" where anybody's may run.
    """

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
        "DashScope (Alibaba Cloud, China)",
        "dashscope",
        "",
        "qwen3-vl-plus",
        "Needs a key of Model Studio's Beijing region.",
        r"^qwen[\w.-]*(plus|max|flash)|^qvq|^gui-plus",
    ),
    Preset(
        "dashscope-intl",
        "DashScope (Alibaba Cloud, international)",
        "dashscope",
        "https://dashscope-intl.aliyuncs.com/api/v1",
        "qwen3-vl-plus",
        "Needs a key of Model Studio's Singapore region.",
    ),
    Preset(
        "openai",
        "OpenAI",
        "responses",
        "",
        "gpt-5.4",
        "Needs a key; the Responses API brings the computer tool.",
        r"^gpt-|^computer-use-preview|^o\d",
    ),
    Preset(
        "anthropic", "Anthropic", "anthropic", "", "claude-sonnet-4-5", "Needs a key.", r"^claude"
    ),
    Preset("gemini", "Google Gemini", "genai", "", "gemini-3-flash", "Needs a key.", r"^gemini"),
    Preset(
        "openrouter",
        "OpenRouter",
        "openai",
        "https://openrouter.ai/api/v1",
        "qwen/qwen3-vl-30b-a3b-instruct",
        "Needs a key; names are those of its list, maker first.",
    ),
    Preset(
        "vllm",
        "vLLM, SGLang or a gateway",
        "openai",
        "http://localhost:8000/v1",
        "Qwen/Qwen3-VL-8B-Instruct",
        "Put the server's address in place of localhost; a key only if it was started with one.",
    ),
    Preset(
        "llama_cpp",
        "llama.cpp",
        "openai",
        "http://localhost:8080/v1",
        "Qwen3-VL-8B-Instruct",
        "Start llama-server with the model's --mmproj, or it sees nothing.",
    ),
    Preset(
        "ollama",
        "Ollama",
        "openai",
        "http://localhost:11434/v1",
        "qwen3-vl:8b",
        "Give the model a longer num_ctx than its default, or it forgets its own prompt.",
    ),
    Preset(
        "lm_studio",
        "LM Studio",
        "openai",
        "http://localhost:1234/v1",
        "qwen3-vl-8b",
        "Switch its server on, and load the model with 16 k of context or more.",
    ),
    Preset(
        "local",
        "Local (OCR and rules, no AI)",
        "local",
        "",
        "",
        "Reads the screen and follows plain instructions; nothing leaves this machine.",
    ),
)
