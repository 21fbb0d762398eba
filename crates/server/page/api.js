// Speaks to the server, and puts whatever goes wrong into words.

const TOKEN = 'lookalike-token';

// What a person can be told. `kind` is `token` if a token is asked for, `away` if nobody answers.
export class Failure extends Error {
  constructor(message, kind = 'problem') {
    super(message);
    this.kind = kind;
  }
}

export const token = {
  get: () => sessionStorage.getItem(TOKEN),
  set: (value) => sessionStorage.setItem(TOKEN, value),
  forget: () => sessionStorage.removeItem(TOKEN),
};

// The most bytes of a body, once the server has said so.
export const limits = { bodyBytes: null };

export async function ask(method, path, body) {
  const headers = {};
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  const request = { method, headers, cache: 'no-store' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
    request.body = JSON.stringify(body);
    refuseTooLarge(request.body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Failure('The server does not answer. Is it still running, and can this machine reach '
      + 'it? What you entered is still here.', 'away');
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw failure(response.status, answer);
}

// Better here than after sending it for minutes.
function refuseTooLarge(text) {
  const length = new Blob([text]).size;
  if (limits.bodyBytes !== null && length > limits.bodyBytes) {
    throw new Failure(`That is too large: ${length.toLocaleString('en')} bytes, and this server `
      + `takes ${limits.bodyBytes.toLocaleString('en')}.`);
  }
}

function failure(status, problem) {
  if (status === 401) {
    const wrong = token.get() !== null;
    token.forget();
    return new Failure(wrong ? 'The server does not know this token.' : '', 'token');
  }
  if (problem === null || typeof problem.title !== 'string') {
    return new Failure(`The server answered with status ${status} and nothing that can be read.`);
  }
  const first = problem.title.charAt(0).toUpperCase() + problem.title.slice(1);
  const place = problem.line ? ` (line ${problem.line}, column ${problem.column})` : '';
  return new Failure(`${first}: ${problem.detail}${place}.`);
}

// The path of a document. Dots alone would be taken for steps up by the browser.
export const documentPath = (id) => `/v1/documents/${encodeURIComponent(id)}`;
