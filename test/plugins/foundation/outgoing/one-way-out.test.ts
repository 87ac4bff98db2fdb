import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const OWN = 'plugins/foundation/outgoing/'

/** Ways to send a request or open a connection without the guard. */
const DIRECT_REQUEST_PATTERNS: readonly [what: string, pattern: RegExp][] = [
  ['fetch', /(?<![.\w'"`])fetch\s*\(|\b(?:globalThis|window|global)\s*(?:\.|\?\.)\s*fetch\b/],
  ['undici', /(?:from|import|require)\s*\(?\s*['"]undici/],
  ['a request of node:http or node:https', /\bhttps?\s*\.\s*(?:request|get)\s*\(/],
  [
    'request or get of node:http',
    /import\s*\{[^}]*\b(?:request|get|Agent|ClientRequest)\b[^}]*\}\s*from\s*['"](?:node:)?https?['"]/,
  ],
  ['node:https, node:http2 or node:dgram', /(?:from|import|require)\s*\(?\s*['"](?:node:)?(?:https|http2|dgram)['"]/],
  ['a connection', /\b(?:net|tls|http2)\s*\.\s*(?:connect|createConnection)\s*\(/],
  [
    'connect of node:net or node:tls',
    /import\s*\{[^}]*\b(?:connect|createConnection|Socket)\b(?<!type Socket)[^}]*\}\s*from\s*['"](?:node:)?(?:net|tls)['"]/,
  ],
  ['a socket of the web', /new\s+(?:WebSocket|EventSource|XMLHttpRequest)\s*\(/],
]

/** Returns code without comments. */
const withoutComments = (code: string) => code.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

function findDirectRequests(code: string): string[] {
  const source = withoutComments(code)
  return DIRECT_REQUEST_PATTERNS.filter(([, pattern]) => pattern.test(source)).map(([kind]) => kind)
}

const directRequests = suite('outgoing: the one way out')

directRequests('S36: no code sends requests to other servers except the plugin outgoing', async () => {
  const found: string[] = []
  let files = 0
  // Scripts of pages run in browsers.
  for await (const file of glob(
    ['kernel/**/*.{ts,js}', 'plugins/**/*.{ts,js}', 'bin/**/*.{ts,js}', 'docs/examples/*.ts'],
    {
      cwd: root,
      exclude: ['**/assets/**', 'plugins/site/editor/install/**', '**/dist/**', '**/node_modules/**', '**/*.test.ts'],
    },
  )) {
    const name = file.split(path.sep).join('/')
    files += 1
    if (name.startsWith(OWN)) continue
    for (const kind of findDirectRequests(await readFile(path.join(root, file), 'utf8'))) found.push(`${name}: ${kind}`)
  }
  assert.ok(files > 400)
  assert.equal(found, [])
})

directRequests('S36: each way around the plugin is detected', () => {
  const codes = [
    'await fetch(url)',
    'const got = fetch (url)',
    'globalThis.fetch(url)',
    "import { request } from 'undici'",
    "await import('undici')",
    "const undici = require('undici')",
    "import { createServer, request } from 'node:http'",
    "import https from 'node:https'",
    "import * as http from 'node:http'\nhttp.get(url)",
    "import { connect } from 'node:net'",
    'net.connect(80)',
    'tls.connect({})',
    'new WebSocket(url)',
  ]
  for (const code of codes) assert.ok(findDirectRequests(code).length > 0, code)
  const harmless = [
    '// await fetch(url)',
    '/* fetch(url) */',
    'this.fetch(url)',
    "import { createServer, type IncomingMessage } from 'node:http'",
    "import type { Socket } from 'node:net'",
    "import { isIP } from 'node:net'",
    'prefetch(url)',
  ]
  for (const code of harmless) assert.equal(findDirectRequests(code), [], code)
})

directRequests.run()
