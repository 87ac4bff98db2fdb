import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { growsLinearly } from '../helpers/growth.ts'
import { bare, plugin, type Bare } from '../kernel/bare.ts'
import { randomOf } from '../helpers/random.ts'

const growth = suite('request bodies')

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=x'

/** A text of so many characters, or a few less. */
const fill = (text: string, size: number) => text.repeat(Math.max(1, Math.floor(size / text.length)))
const list = (item: (at: number) => string, size: number): string => {
  const items: string[] = []
  for (let length = 0; length < size; length += items.at(-1)!.length + 1) items.push(item(items.length))
  return `[${items.join()}]`
}
const within = (begin: string, value: string, end: string, depth: number) =>
  begin.repeat(depth) + value + end.repeat(depth)
const field = (value: string) => `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${value}\r\n--x--\r\n`

const random = randomOf(25)
const key = () => Math.floor(random() * 2 ** 31).toString(36)
const keys = (depth: number, mark: string, leaf: string) =>
  Array.from({ length: depth }, () => `{"${key()}${mark}":`).join('') + leaf + '}'.repeat(depth)

/** Bodies of visitors by content type, with a size in characters. */
const SHAPES: readonly (readonly [what: string, type: string, of: (size: number) => string])[] = [
  ['lists within lists', JSON_TYPE, (size) => list(() => within('[', '', ']', 41), size)],
  ['objects within objects', JSON_TYPE, (size) => list(() => within('{"a":', '1', '}', 41), size)],
  ['names that are all different', JSON_TYPE, (size) => list(() => keys(8, '', '1'), size)],
  ['names with control characters', JSON_TYPE, (size) => list(() => keys(8, '\\u0001', '"\\b"'), size)],
  ['names that are numbers', JSON_TYPE, (size) => list((at) => `{"${at % 1000}":1,"\\b":2}`, size)],
  ['names of prototypes', JSON_TYPE, (size) => list(() => keys(8, '', '{"__proto__":{}}'), size)],
  [
    'one object',
    JSON_TYPE,
    (size) => list((at) => `"${at}${key()}\\u0001":"\\b"`, size).replace(/^\[(.*)\]$/s, '{$1}'),
  ],
  ['long names', JSON_TYPE, (size) => `{"${fill('é\\b', size)}":1}`],
  ['escaped control characters', JSON_TYPE, (size) => `["${fill('é\\u0001', size)}"]`],
  ['halves of surrogate pairs', JSON_TYPE, (size) => `["${fill('\\ud800', size)}"]`],
  ['quotes', JSON_TYPE, (size) => `["${fill('\\"', size)}"]`],
  ['digits', JSON_TYPE, (size) => `[${fill('1', size)}]`],
  ['open lists', JSON_TYPE, (size) => fill('[', size)],
  ['pluses', FORM, (size) => `a[]=${fill('+', size)}`],
  ['percent signs', FORM, (size) => `a=${fill('%', size)}`],
  ['encoded control characters', FORM, (size) => `a[b]=${fill('%01', size)}`],
  ['encoded letters', FORM, (size) => `a[]=${fill('%C3%A9%01', size)}`],
  ['brackets of a name', FORM, (size) => `a${fill('%5Bb%5D', size)}=1`],
  ['open brackets of names', FORM, (size) => fill(`a${'['.repeat(8000)}=1&`, size)],
  ['ends of names', FORM, (size) => `a=${fill(']=', size)}`],
  ['lists with large numbers', FORM, (size) => list((at) => `a${at}[999][999][999]=1`, size / 10).replaceAll(',', '&')],
  ['a field of control characters', MULTIPART, (size) => field(fill('é\x01', size))],
  ['a field of line ends', MULTIPART, (size) => field(fill('\r', size))],
  ['a field of almost boundaries', MULTIPART, (size) => field(fill('\r\n--', size))],
]

/** A site with one route that accepts any body, with the same limit for visitors and users. */
function serveBodies(limits: Record<string, number> = {}): Promise<Bare> {
  const bodyReader = plugin('body-reader', ({ hooks }) => {
    hooks.rest_api_init.tap('body-reader', (server) => {
      server.registerRoute('test/v1', 'take', { methods: 'POST', callback: () => 1, permission_callback: () => true })
    })
  })
  return bare([bodyReader], { limits })
}

const send = (site: Bare, type: string, body: string) =>
  site.raw('/svc-json/test/v1/take', { method: 'POST', headers: { 'content-type': type }, body })

growth('S25: take linear time from visitors, with any content', async () => {
  await using site = await serveBodies()
  for (const [description, type, of] of SHAPES) {
    await growsLinearly(
      description,
      async (size) => {
        const { status } = await send(site, type, of(size))
        assert.ok(status === 200 || status === 400, `${description}: ${status}`)
      },
      600_000,
    )
  }
})

growth('S25: are rejected at eight megabytes, and do not prevent other responses', async () => {
  await using site = await serveBodies()
  for (const [description, type, of] of SHAPES.slice(0, 3)) {
    assert.is((await send(site, type, of(8_000_000))).json.code, 'rest_body_too_large', description)
  }
  await using open = await serveBodies({ visitor: 8_388_608 })
  for (const [description, type, of] of SHAPES.slice(0, 6)) {
    const { status, json } = await send(open, type, of(8_000_000))
    assert.equal([status, json.code], [400, 'rest_invalid_body'], description)
  }
  assert.is((await send(open, JSON_TYPE, '{}')).status, 200)
})

growth.run()
