import { sql, type Store } from '../../../storage/store/index.ts'
import type { ImportContext } from '../context.ts'
import { inBatches } from '../lists.ts'
import { fingerprintOf, readStates, writeState } from './object-state.ts'
import { tablesOf } from './tables.ts'

/** Posts that are changed together. */
const POSTS_PER_BATCH = 200
/** Hosts per statement that looks for texts. */
const HOSTS_PER_STATEMENT = 20
/** The dimensions of an image size in a file name. */
const SIZE = /-\d{1,5}x\d{1,5}(?=\.[^./]+$)/

/**
 * Media files whose URLs are not below the home of their old site: on the host of an earlier site, or of a hosting
 * company. Their URLs in texts and meta are replaced after all items are written, because a text can come before its
 * files; the table `importer__media` lets texts of later imports find them, too.
 */
export class MediaUrls {
  readonly #context: ImportContext
  readonly #uploads: string
  /** Paths below the uploads folder by URL without scheme and query, of this import. */
  readonly #added = new Map<string, string>()

  /** @param uploads URL of the uploads of this site */
  constructor(context: ImportContext, uploads: string) {
    this.#context = context
    this.#uploads = uploads
  }

  /** Adds the file of an attachment, unless the replacement of the home URL covers its URL. */
  add(url: string, file: string): void {
    if (file === '' || this.#context.home === null || this.#context.rewrite(url) !== url) return
    // An export of this site, or of a former one under its URL: texts have the right URLs, including URLs of image sizes.
    if (url.startsWith(`${this.#uploads}/`)) return
    const parsed = URL.parse(url)
    if (parsed !== null && /^https?:$/.test(parsed.protocol)) this.#added.set(keyOf(parsed.host, parsed.pathname), file)
  }

  /** Replaces the URLs in the posts of the old site. */
  async finish(): Promise<void> {
    const { oldSite, tx } = this.#context
    const tables = tablesOf(tx)
    for (const rows of inBatches([...this.#added], POSTS_PER_BATCH)) {
      const values = rows.map(([url, file]) => ({ site: oldSite.id, url, file }))
      const insert = tables.insertInto('importer__media').values(values)
      await tx.run(
        insert.onConflict((conflict) =>
          conflict.columns(['site', 'url']).doUpdateSet((of) => ({ file: of.ref('excluded.file') })),
        ),
      )
    }
    const stored = await tx.all(
      tables.selectFrom('importer__media').select(['url', 'file']).where('site', '=', oldSite.id),
    )
    if (stored.length === 0) return
    const files = new Map(stored.map(({ url, file }) => [url, file]))
    const hosts = [...new Set(stored.map(({ url }) => url.slice(0, url.indexOf('/'))))]
    for (const some of inBatches(hosts, HOSTS_PER_STATEMENT)) {
      const rewrite = rewriterOf(some, files, this.#uploads)
      for (const ids of inBatches(await postsWith(tx, some), POSTS_PER_BATCH)) await this.#rewriteIn(ids, rewrite)
    }
    await oldSite.flush()
  }

  async #rewriteIn(ids: readonly number[], rewrite: (text: string) => string): Promise<void> {
    const { oldSite, tx } = this.#context
    const entries = await oldSite.findByNewIds('post', ids)
    const states = await readStates(tx, 'post', ids)
    for (const [id, before] of states) {
      const ofPost = entries.get(id) ?? []
      if (ofPost.length === 0) continue
      const row = { ...before.row }
      for (const field of ['content', 'excerpt']) row[field] = rewrite(String(row[field]))
      const meta = before.meta.map(([key, value, json]): (typeof before.meta)[number] => [key, rewrite(value), json])
      const after = { ...before, row, meta }
      const written = fingerprintOf('post', before)
      await writeState(tx, 'post', id, before, after)
      for (const entry of ofPost) {
        // An object that was changed here stays changed.
        if (entry.written === written) oldSite.set(entry, { ...entry, written: fingerprintOf('post', after) })
      }
    }
  }
}

/** Returns the IDs of posts whose texts or meta name one of the hosts. */
async function postsWith(tx: Store, hosts: readonly string[]): Promise<number[]> {
  const names = (column: string) =>
    sql.join(
      hosts.map(
        (host) =>
          sql`lower(${sql.ref(column)}) like ${`%/${host.replaceAll(/[%_\\]/g, String.raw`\$&`)}%`} escape '\\'`,
      ),
      sql` or `,
    )
  const rows = await tx.all(sql<{ id: number }>`
    select id from posts where ${names('content')} or ${names('excerpt')}
    union select post_id from post_meta where ${names('value')}`)
  return rows.map(({ id }) => id)
}

/**
 * Creates a function that replaces the URLs of files on these hosts, also of their image sizes, with any scheme or
 * none, with escaped slashes, and with parameters.
 */
export function rewriterOf(
  hosts: readonly string[],
  files: ReadonlyMap<string, string>,
  uploads: string,
): (text: string) => string {
  const names = hosts.map((host) => host.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')
  const pattern = new RegExp(
    String.raw`(?:(?<!/)(https?:)|(?<![\w:/\\]))(\\?/)\\?/(${names})((?:\\?/[^\s"'<>()?#\\/]{1,300}){1,20})(\?[\w.,%=&;#-]{1,300})?`,
    'gi',
  )
  return (text) =>
    text.replace(pattern, (match, scheme: string | undefined, slash: string, host: string, path: string) => {
      const plain = path.replaceAll('\\/', '/')
      const file = files.get(keyOf(host, plain)) ?? files.get(keyOf(host, plain.replace(SIZE, '')))
      if (file === undefined) return match
      const url = `${uploads}/${file.split('/').map(encodeURIComponent).join('/')}`
      const target = scheme === undefined ? url.replace(/^https?:/i, '') : url
      return slash === '/' ? target : target.replaceAll('/', slash)
    })
}

/** Brings host and path of a URL into one form. */
function keyOf(host: string, path: string): string {
  try {
    return `${host.toLowerCase()}${decodeURIComponent(path)}`
  } catch {
    return `${host.toLowerCase()}${path}`
  }
}
