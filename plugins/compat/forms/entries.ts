// oxlint-disable-next-line no-restricted-imports -- as in plugins of others, which have no other source of `sql`
import { sql } from 'kysely'
import type { Migration, PluginContext } from '../../public.ts'
import type { MailFile } from './mail.ts'

/** Tables of messages and their files. */
export const migrations: readonly Migration[] = [
  {
    name: 'entries',
    sql: ({ id, integer, text }) => `
      create table forms__entries (
        id ${id}, form_id ${integer} not null, created ${text} not null, status ${text} not null, url ${text} not null,
        data ${text} not null);
      create index forms__entries_by_time on forms__entries (created);
      create table forms__files (
        id ${id}, entry_id ${integer} not null, field ${text} not null, name ${text} not null, type ${text} not null,
        content ${text} not null);
      create index forms__files_of_entry on forms__files (entry_id)`,
  },
]

/** A message that a visitor has sent. */
export interface Entry {
  readonly id: number
  readonly form_id: number
  /** UTC: `2026-01-31 10:15:00`. */
  readonly created: string
  readonly status: string
  readonly url: string
  readonly values: Readonly<Record<string, string | readonly string[]>>
}

/** A stored file of a message. Its content is Base64. */
export interface EntryFile {
  readonly id: number
  readonly field: string
  readonly name: string
  readonly type: string
}

const DAY_MS = 86_400_000
const PAGE_SIZE = 50
type Row = Omit<Entry, 'values'> & { data: string }

/** Stores messages. */
export class Entries {
  readonly #store: PluginContext['services']['store']
  readonly #days: number

  /** @param days days after which messages are deleted; 0 keeps them */
  constructor({ services }: PluginContext, days: number) {
    this.#store = services.store
    this.#days = days
  }

  /** Stores a message with its files, and deletes messages that are too old. */
  async add(entry: Omit<Entry, 'id' | 'created'>, files: readonly MailFile[]): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const created = utc(Date.now())
      const row = await tx.first<{ id: number }>(sql`insert into forms__entries (form_id, created, status, url, data)
        values (${entry.form_id}, ${created}, ${entry.status}, ${entry.url}, ${JSON.stringify(entry.values)}) returning id`)
      for (const { field, filename, type, content } of files)
        await tx.run(sql`insert into forms__files (entry_id, field, name, type, content)
          values (${row!.id}, ${field}, ${filename}, ${type}, ${content.toString('base64')})`)
    })
    await this.deleteOld()
  }

  /** Deletes messages that are older than the site keeps them. */
  async deleteOld(): Promise<void> {
    if (this.#days === 0) return
    const since = utc(Date.now() - this.#days * DAY_MS)
    await this.#store.run(sql`delete from forms__files where entry_id in
      (select id from forms__entries where created < ${since})`)
    await this.#store.run(sql`delete from forms__entries where created < ${since}`)
  }

  /** Returns a page of messages, the newest first. @param page from 0 */
  async list(page: number): Promise<{ items: Entry[]; hasMore: boolean }> {
    const rows = await this.#store.all<Row>(sql`select id, form_id, created, status, url, data from forms__entries
      order by id desc limit ${PAGE_SIZE + 1} offset ${page * PAGE_SIZE}`)
    return { items: rows.slice(0, PAGE_SIZE).map(toEntry), hasMore: rows.length > PAGE_SIZE }
  }

  /** Returns a message; undefined if it does not exist. */
  async get(id: number): Promise<Entry | undefined> {
    const row = await this.#store.first<Row>(
      sql`select id, form_id, created, status, url, data from forms__entries where id = ${id}`,
    )
    return row === undefined ? undefined : toEntry(row)
  }

  /** Returns all messages of a form, the oldest first. @param formId 0 for all forms */
  async all(formId: number): Promise<Entry[]> {
    const rows = await this.#store.all<Row>(sql`select id, form_id, created, status, url, data from forms__entries
      where form_id = ${formId} or ${formId} = 0 order by id`)
    return rows.map(toEntry)
  }

  /** Returns the files of a message. */
  files(entryId: number): Promise<EntryFile[]> {
    return this.#store.all<EntryFile>(sql`select id, field, name, type from forms__files where entry_id = ${entryId}`)
  }

  /** Returns the content of a file; undefined if it does not exist. */
  async content(fileId: number): Promise<{ name: string; content: Buffer } | undefined> {
    const row = await this.#store.first<{ name: string; content: string }>(
      sql`select name, content from forms__files where id = ${fileId}`,
    )
    return row === undefined ? undefined : { name: row.name, content: Buffer.from(row.content, 'base64') }
  }

  async delete(id: number): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await tx.run(sql`delete from forms__files where entry_id = ${id}`)
      await tx.run(sql`delete from forms__entries where id = ${id}`)
    })
  }
}

function toEntry({ data, ...row }: Row): Entry {
  return { ...row, values: JSON.parse(data) as Entry['values'] }
}

function utc(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
