// @ts-check
/** Sending an image to the KVM, and the progress of one that the KVM downloads. */
import { Refusal, address, headers, refusal, request } from '../core/connection.js';
import { t } from '../core/i18n.js';

/**
 * `fetch` does not tell how much of a body is sent.
 * @param {string} path @param {File} file @param {AbortSignal} signal @param {(part: number) => void} onpart
 * @returns {Promise<void>}
 */
export function sendFile(path, file, signal, onpart) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address(path));
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded }) => onpart(loaded / file.size);
    request.onload = () => (request.status < 300 ? resolve() : reject(refusal(request.response, request.status)));
    request.onerror = request.onabort = () => reject(new Refusal(t('silence')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** @param {string} path @param {object} body @param {AbortSignal} signal @param {(part: number) => void} onpart */
export async function followLines(path, body, signal, onpart) {
  const response = await request(path, JSON.stringify(body), signal);
  if (!response.ok || !response.body) throw refusal(await response.json().catch(() => ({})), response.status);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = JSON.parse(line);
      if (said.error) throw refusal(said, 0);
      onpart(said.part);
    }
  }
}
