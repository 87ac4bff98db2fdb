import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readWxr } from '../../../../../plugins/operations/importer/wxr/reader.ts'

const encodings = suite('encodings of WXR files')

const TITLE = 'Café “naïve” – Größe €'
const text = (encoding: string, title = TITLE) =>
  `<?xml version="1.0"${encoding === '' ? '' : ` encoding="${encoding}"`}?>\n<rss><channel><wp:wxr_version>1.2</wp:wxr_version>\n` +
  `<item><wp:post_id>1</wp:post_id><pubDate>Mon, 16 Jun 2008 21:47:17 +0000</pubDate>\n<title>${title}</title></item>` +
  `${'\n'.repeat(2000)}</channel></rss>`
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()
const bom = (...bytes: number[]) => Buffer.from(bytes)
/** Encodes characters of windows-1252. */
const windows1252 = (source: string) => {
  const decoder = new TextDecoder('windows-1252')
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Buffer.from([code])), code]))
  return Buffer.from(Array.from(source, (character) => codes.get(character)!))
}

const CASES: [name: string, bytes: Buffer, codes: string[], title?: string][] = [
  ['UTF-8 with a declaration', Buffer.from(text('UTF-8')), []],
  ['UTF-8 without a declaration', Buffer.from(text('')), []],
  ['UTF-8 with a byte order mark', Buffer.concat([bom(0xef, 0xbb, 0xbf), Buffer.from(text('UTF-8'))]), []],
  ['UTF-16 LE with a byte order mark', Buffer.concat([bom(0xff, 0xfe), Buffer.from(text('UTF-16'), 'utf16le')]), []],
  [
    'UTF-16 BE with a byte order mark',
    Buffer.concat([bom(0xfe, 0xff), swapped(Buffer.from(text('UTF-16'), 'utf16le'))]),
    [],
  ],
  ['UTF-16 LE without a byte order mark', Buffer.from(text('UTF-16'), 'utf16le'), []],
  ['UTF-16 BE without a byte order mark', swapped(Buffer.from(text(''), 'utf16le')), []],
  ['UTF-16 LE that declares UTF-8', Buffer.concat([bom(0xff, 0xfe), Buffer.from(text('UTF-8'), 'utf16le')]), []],
  ['declared windows-1252', windows1252(text('windows-1252')), []],
  ['windows-1252 that declares Latin-1', windows1252(text('ISO-8859-1')), []],
  [
    'declared windows-1251',
    Buffer.concat([
      Buffer.from(text('windows-1251', '|').split('|')[0]!),
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
      Buffer.from(text('', '|').split('|')[1]!),
    ]),
    [],
    'Привет',
  ],
  ['windows-1252 without a declaration', windows1252(text('')), ['invalid-bytes']],
  ['windows-1252 that declares UTF-8', windows1252(text('UTF-8')), ['invalid-bytes']],
  ['UTF-8 that declares Latin-1', Buffer.from(text('ISO-8859-1')), ['wrong-encoding']],
  ['UTF-8 that declares UTF-16', Buffer.from(text('UTF-16')), ['wrong-encoding']],
]

for (const [name, bytes, codes, title = TITLE] of CASES) {
  encodings(`reads ${name}`, async () => {
    for (const size of [bytes.length, 7, 1]) {
      const found = await read(bytes, size)
      assert.is(found.title, title, `pieces of ${size} bytes`)
      assert.equal([...new Set(found.repairs.map(({ code }) => code))], codes)
    }
  })
}

encodings('reads invalid bytes within UTF-8 as windows-1252, and reports their line', async () => {
  const [before = '', after = ''] = text('UTF-8', 'é | ü').split('|')
  const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0x93, 0xe9, 0x94, 0xe2, 0x82]), Buffer.from(after)])
  const found = await read(bytes, bytes.length)
  assert.is(found.title, 'é “é”â‚ ü')
  assert.equal(found.repairs, [{ kind: 'repair', code: 'invalid-bytes', line: 4, item: found.title, value: '“é”â‚' }])
})

encodings('refuses an encoding that is not supported, and names it', async () => {
  for (const bytes of [Buffer.from(text('x-unknown')), Buffer.from([0xff, 0xfe, 0, 0, 60, 0, 0, 0])]) {
    const error = await read(bytes, bytes.length).catch((cause: Error) => cause)
    assert.match((error as Error).message, /encoding (x-unknown|UTF-32) is not supported/)
  }
})

encodings.run()

async function read(bytes: Buffer, size: number) {
  const pieces = async function* () {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const records = await Array.fromAsync(readWxr(pieces()))
  const item = records.find((record) => record.kind === 'item')
  return { title: item?.title ?? '', repairs: records.filter((record) => record.kind === 'repair') }
}
