import type { Answer } from './client.ts'
import type { Case } from './cases.ts'

/** Internals that must not appear in a response: code locations, SQL statements, stringified non-strings. */
const INTERNALS: readonly [name: string, pattern: RegExp][] = [
  ['a stack', /\n\s+at \S+ ?\(?(?:file:|node:|\/)/],
  ['a path of the code', /node_modules|\/(?:kernel|plugins)\/[\w-]+(?:\/[\w-]+)*\.[jt]s\b/],
  ['a path of the site', /svc-audit-\w{6}/],
  [
    'a statement',
    /\b(?:insert into|delete from|update) "|select .{1,200} from "|SQLITE_[A-Z]+|syntax error at or near|violates .{1,30} constraint/,
  ],
  ['a failed conversion to text', /\[object Object\]/],
]

/** Whether a status above 499 is intended. */
function isDeclared({ status, headers }: Answer): boolean {
  return status === 501 || status === 507 || (status === 503 && headers['retry-after'] !== undefined)
}

/** Returns the problems of a response; empty for a valid one. */
export function responseProblems(request: Case, answer: Answer): string[] {
  if (answer.failure !== undefined && !request.broken) return [`no answer: ${answer.failure}`]
  if (answer.failure?.startsWith('no end')) return [answer.failure]
  if (answer.status === 0) return []
  const wrong: string[] = []
  if (answer.status >= 500 && !isDeclared(answer)) wrong.push(`${answer.status}: ${answer.text.slice(0, 300)}`)
  for (const [description, pattern] of INTERNALS) {
    const found = pattern.exec(answer.text)
    if (found !== null) wrong.push(`${description} in the body: ${around(answer.text, found.index)}`)
  }
  // Node itself responds to invalid requests.
  if (!request.broken) wrong.push(...wrongHeaders(answer), ...wrongBody(request, answer))
  return wrong
}

function wrongHeaders({ status, headers, text }: Answer): string[] {
  const wrong: string[] = []
  if (headers['x-content-type-options'] !== 'nosniff' && text !== '') wrong.push('no X-Content-Type-Options: nosniff')
  if (headers['x-powered-by'] !== undefined) wrong.push('a header X-Powered-By')
  if (status === 503 && headers['cache-control']?.includes('public')) wrong.push('a failure that caches keep')
  return wrong
}

/** Checks that a REST response is JSON, and that an error has a code, a message and its status. */
function wrongBody({ method, path, headers: requestHeaders }: Case, { status, headers, text }: Answer): string[] {
  const overridden = requestHeaders['x-http-method-override']
  const type = String(headers['content-type'] ?? '')
  const isRestApi = /^(?:\/index\.php)?\/svc-json(?:[/?]|$)/.test(path)
  // A POST can override its method to HEAD.
  const isHead = method === 'HEAD' || overridden === 'HEAD'
  if (isHead || text === '') return !isHead && isRestApi && status >= 400 ? [`${status} without a body`] : []
  if (isRestApi && status >= 400 && !type.startsWith('application/json')) return [`${status} as ${type}`]
  if (!type.startsWith('application/json')) return []
  let body: { code?: unknown; message?: unknown; data?: { status?: unknown } } | null
  try {
    body = JSON.parse(text) as typeof body
  } catch {
    return [`no JSON: ${text.slice(0, 200)}`]
  }
  if (status < 400) return []
  const types = [typeof body?.code, typeof body?.message, body?.data?.status]
  return types.join() === `string,string,${status}`
    ? []
    : [`an error without code, message and status: ${text.slice(0, 200)}`]
}

function around(text: string, index: number): string {
  return JSON.stringify(text.slice(Math.max(0, index - 60), index + 120))
}
