import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import importer from '../../plugins/operations/importer/index.ts'
import { valueRules } from '../../plugins/operations/importer/record-values.ts'
import { writingRules } from '../../plugins/operations/importer/text-filter.ts'
import { importSite } from '../../plugins/operations/importer/import-site.ts'
import { formatReport } from '../../plugins/operations/importer/report.ts'
import { createPluginTables } from '../../plugins/storage/store/images.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { serve } from '../helpers/site.ts'

/**
 * Measures the speed and the memory of an import. The export is generated while it is read, so it is not stored:
 * `node test/bench/import.ts [MEGABYTES] [DATABASE] [RUNS]`.
 */
async function main([megabytes = '200', database, runs = '1']: string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-import-bench-'))
  const store = await openStore(database ?? `sqlite:${path.join(folder, 'site.db')}`)
  await createPluginTables(store, [importer])
  await using site = await serve()
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  try {
    for (let run = 0; run < Number(runs); run += 1) {
      let items = 0
      const report = await importSite(store, {
        source: largeExport(Number(megabytes) * 1_000_000),
        home: 'https://new.example.com',
        rules: { ...writingRules(site.kernel.services), ...valueRules(site.kernel.services) },
        typeName: (name) => `svc_${name}`,
        hashPassword: async (plain) => plain,
        hashApplicationPassword: (plain) => plain,
        onProgress: (progress) => (items = progress.items),
      })
      console.log(formatReport(report))
      console.log(
        `\n${items} items in ${report.seconds.toFixed(1)} s: ${Math.round(items / report.seconds)} items a second, ` +
          `${(report.bytes / report.seconds / 1e6).toFixed(1)} MB/s; peak ${Math.round(peak / 1e6)} MB resident\n`,
      )
    }
  } finally {
    clearInterval(watch)
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const encoder = new TextEncoder()
const WORDS =
  'about years after water place great still every small found those never under might while house world'.split(' ')

/** Generates an export of at least a number of bytes: posts with terms, meta and comments, attachments, revisions. */
export async function* largeExport(bytes: number): AsyncGenerator<Uint8Array> {
  let byteCount = 0
  const piece = (text: string) => {
    const encoded = encoder.encode(text)
    byteCount += encoded.length
    return encoded
  }
  yield piece(head())
  for (let id = 1; byteCount < bytes; id += 10) {
    yield piece(Array.from({ length: 10 }, (_, index) => item(id + index)).join(''))
    // Yields, as reading from a disk would, so that timers run.
    if (id % 1000 === 1) await new Promise((resolve) => setImmediate(resolve))
  }
  yield piece('</channel></rss>')
}

function head(): string {
  const authors = Array.from({ length: 20 }, (_, index) => {
    return `<wp:author><wp:author_id>${index + 1}</wp:author_id><wp:author_login><![CDATA[writer${index}]]></wp:author_login></wp:author>`
  })
  const categories = Array.from({ length: 100 }, (_, index) => {
    const parent = index < 10 ? '' : `topic-${index % 10}`
    return `<wp:category><wp:term_id>${index + 1}</wp:term_id><wp:category_nicename>topic-${index}</wp:category_nicename>
      <wp:category_parent>${parent}</wp:category_parent><wp:cat_name><![CDATA[Topic ${index}]]></wp:cat_name></wp:category>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:excerpt="e" xmlns:content="c" xmlns:dc="d" xmlns:wp="w"><channel><title>Large</title>
    <wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.example.com</wp:base_blog_url>
    ${authors.join('\n')}${categories.join('\n')}`
}

function item(id: number): string {
  const type = id % 10 === 9 ? 'revision' : id % 10 === 8 ? 'attachment' : 'post'
  const date = `20${String(10 + (id % 15))}-0${1 + (id % 9)}-1${id % 10} 1${id % 10}:0${id % 10}:00`
  const parent = type === 'post' ? 0 : type === 'revision' ? id - 1 : id + 2
  const meta = {
    _edit_last: '1',
    subtitle: words(id, 8),
    _thumbnail_id: String(id - (id % 10) + 8),
    facts: 'a:2:{s:1:"a";i:1;s:1:"b";s:3:"two";}',
  }
  const comments = type === 'post' ? Array.from({ length: id % 4 }, (_, index) => comment(id * 4 + index, date)) : []
  return `<item><title><![CDATA[${words(id, 6)}]]></title><link>http://old.example.com/?p=${id}</link><dc:creator><![CDATA[writer${id % 20}]]></dc:creator>
    <guid isPermaLink="false">http://old.example.com/?p=${id}</guid><description></description>
    <content:encoded><![CDATA[${paragraphs(id)}]]></content:encoded><excerpt:encoded><![CDATA[${words(id, 20)}]]></excerpt:encoded>
    <wp:post_id>${id}</wp:post_id><wp:post_date><![CDATA[${date}]]></wp:post_date><wp:post_date_gmt><![CDATA[${date}]]></wp:post_date_gmt>
    <wp:comment_status><![CDATA[open]]></wp:comment_status><wp:ping_status><![CDATA[open]]></wp:ping_status>
    <wp:post_name><![CDATA[post-${id}]]></wp:post_name><wp:status><![CDATA[${type === 'post' ? 'publish' : 'inherit'}]]></wp:status>
    <wp:post_parent>${parent}</wp:post_parent><wp:menu_order>0</wp:menu_order><wp:post_type><![CDATA[${type}]]></wp:post_type>
    <category domain="category" nicename="topic-${id % 100}"><![CDATA[Topic]]></category>
    <category domain="post_tag" nicename="tag-${id % 5000}"><![CDATA[Tag ${id % 5000}]]></category>
    ${Object.entries(meta)
      .map(
        ([key, value]) =>
          `<wp:postmeta><wp:meta_key><![CDATA[${key}]]></wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`,
      )
      .join('\n')}
    ${comments.join('\n')}</item>\n`
}

function comment(id: number, date: string): string {
  return `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author><![CDATA[Reader ${id}]]></wp:comment_author>
    <wp:comment_author_email>reader@example.com</wp:comment_author_email><wp:comment_date><![CDATA[${date}]]></wp:comment_date>
    <wp:comment_date_gmt><![CDATA[${date}]]></wp:comment_date_gmt><wp:comment_content><![CDATA[${words(id, 30)}]]></wp:comment_content>
    <wp:comment_approved>1</wp:comment_approved><wp:comment_type>comment</wp:comment_type><wp:comment_parent>0</wp:comment_parent>
    <wp:commentmeta><wp:meta_key>rating</wp:meta_key><wp:meta_value>${id % 5}</wp:meta_value></wp:commentmeta></wp:comment>`
}

function paragraphs(id: number): string {
  return Array.from({ length: 4 }, (_, index) => {
    const link = `<a href="http://old.example.com/?p=${id + index}">${words(id, 2)}</a>`
    return `<!-- wp:paragraph -->\n<p>${words(id + index, 60)} ${link}</p>\n<!-- /wp:paragraph -->`
  }).join('\n\n')
}

const phrases = new Map<string, string>()

/** Returns pseudorandom words. They are cached and repeat, so that generating the file takes little time. */
function words(seed: number, count: number): string {
  const start = (seed * 7) % WORDS.length
  const key = `${start} ${count}`
  let phrase = phrases.get(key)
  if (phrase === undefined) {
    phrase = Array.from({ length: count }, (_, index) => WORDS[(start + index * index) % WORDS.length]).join(' ')
    phrases.set(key, phrase)
  }
  return phrase
}

await main(process.argv.slice(2))
