import { freeUserSlug } from '../../people/users/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { ADMINISTRATOR, digestOf, fillSample, type SampleList, type SampleParts } from './fill-sample.ts'

/** Name of the option that lists the rows of the sample. */
const OPTION = 'sample_site'

/** The administrator of a removed sample. */
export interface FormerAdministrator {
  user: Row<'users'>
  meta: Pick<Row<'user_meta'>, 'key' | 'value' | 'json'>[]
  applicationPasswords: Row<'application_passwords'>[]
  sessions: Row<'sessions'>[]
}

/** Whether the database has neither users nor content, and a sample was never created. */
export async function isEmptySite(store: Store): Promise<boolean> {
  if ((await sampleList(store)) !== null) return false
  for (const table of ['users', 'posts', 'terms'] as const) {
    if ((await store.first(store.db.selectFrom(table).select('id').limit(1))) !== undefined) return false
  }
  return true
}

/**
 * Fills an empty site: a few posts, pages and terms, a comment, and an administrator.
 * @param beforeCommit called before the commit; if it fails, the sample is rolled back
 * @returns false if the site was not empty, or another process has filled it
 */
export async function makeSample(
  store: Store,
  parts: SampleParts,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<boolean> {
  return await store.inTurn(async (tx) => {
    if (!(await isEmptySite(tx))) return false
    // Claims the site: a second process waits here, and then finds the option.
    const claim = tx.db.insertInto('options').values({ name: OPTION, value: 'null' })
    const { changes } = await tx.run(claim.onConflict((conflict) => conflict.column('name').doNothing()))
    if (changes === 0) return false
    const value = JSON.stringify(await fillSample(tx, parts))
    await tx.run(tx.db.updateTable('options').set({ value }).where('name', '=', OPTION))
    await beforeCommit()
    return true
  })
}

/** Whether the site contains only the unchanged sample, which an import may then replace with `removeSample`. */
export async function isOnlySample(store: Store): Promise<boolean> {
  const list = await sampleList(store)
  if (list === null) return false
  for (const table of ['users', 'posts', 'terms', 'comments'] as const) {
    const ids = store.db.selectFrom(table).select('id').orderBy('id')
    const rows = await store.all(ids.limit(list[table].length + 1))
    if (rows.map(({ id }) => id).join() !== list[table].join()) return false
  }
  return (await digestOf(store, list)) === list.digest
}

/**
 * Removes the sample. Call it in the transaction of the import that replaces it and, at the end of the transaction,
 * pass the result to `restoreAdministrator`, so that the owner of the site can still log in.
 */
export async function removeSample(tx: Store): Promise<FormerAdministrator[]> {
  const list = await sampleList(tx)
  if (list === null) return []
  const former = await administratorsOf(tx, list.users)
  for (const table of ['comments', 'posts', 'terms', 'users'] as const) {
    if (list[table].length > 0) await tx.run(tx.db.deleteFrom(table).where('id', 'in', list[table]))
  }
  for (const [name, value] of Object.entries(list.options)) {
    // Keeps options that the owner has changed.
    await tx.run(tx.db.deleteFrom('options').where('name', '=', name).where('value', '=', JSON.stringify(value)))
  }
  await tx.run(tx.db.deleteFrom('options').where('name', '=', OPTION))
  return former
}

/**
 * Restores the account of the owner of a removed sample, unless the import added an administrator with a password. An
 * imported account with the same login and no password becomes the owner's account; otherwise the owner gets a new ID
 * if necessary.
 */
export async function restoreAdministrator(
  tx: Store,
  formerAdministrators: readonly FormerAdministrator[],
): Promise<void> {
  for (const { user, meta, applicationPasswords, sessions } of formerAdministrators) {
    if (await hasAdministrator(tx)) return
    const { id: formerId, ...row } = user
    const sameLogin = tx.db.selectFrom('users').select(['id', 'password_hash']).where('login', '=', user.login)
    const existing = await tx.first(sameLogin)
    if (existing !== undefined && existing.password_hash !== '') return
    let id: number
    if (existing === undefined) {
      const free = (await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', formerId))) === undefined
      const slug = await freeUserSlug(tx, row.slug)
      const values = { ...row, slug, ...(free ? { id: formerId } : {}) }
      id = (await tx.first(tx.db.insertInto('users').values(values).returning('id')))!.id
      for (const one of meta) await tx.run(tx.db.insertInto('user_meta').values({ ...one, user_id: id }))
    } else {
      id = existing.id
      await tx.run(tx.db.updateTable('users').set({ password_hash: user.password_hash }).where('id', '=', id))
      await tx.run(tx.db.deleteFrom('user_meta').where('user_id', '=', id).where('key', '=', 'roles'))
      await tx.run(tx.db.insertInto('user_meta').values({ ...ADMINISTRATOR, user_id: id }))
    }
    for (const { id: _, ...password } of applicationPasswords) {
      await tx.run(tx.db.insertInto('application_passwords').values({ ...password, user_id: id }))
    }
    // A user who imports in a browser stays logged in.
    for (const session of sessions) await tx.run(tx.db.insertInto('sessions').values({ ...session, user_id: id }))
  }
}

/** Returns the rows that were created with the sample, some of which may no longer exist; null if there was no sample. */
export async function sampleList(store: Store): Promise<SampleList | null> {
  const row = await store.first(store.db.selectFrom('options').select('value').where('name', '=', OPTION))
  return row === undefined ? null : (JSON.parse(row.value) as SampleList | null)
}

async function administratorsOf(tx: Store, ids: readonly number[]): Promise<FormerAdministrator[]> {
  const formerAdministrators: FormerAdministrator[] = []
  for (const id of ids) {
    const user = await tx.first(tx.db.selectFrom('users').selectAll().where('id', '=', id))
    if (user === undefined) continue
    const meta = tx.db.selectFrom('user_meta').select(['key', 'value', 'json']).where('user_id', '=', id)
    const passwords = tx.db.selectFrom('application_passwords').selectAll().where('user_id', '=', id)
    formerAdministrators.push({
      user,
      meta: await tx.all(meta.orderBy('id')),
      applicationPasswords: await tx.all(passwords.orderBy('id')),
      sessions: await tx.all(tx.db.selectFrom('sessions').selectAll().where('user_id', '=', id)),
    })
  }
  return formerAdministrators
}

async function hasAdministrator(tx: Store): Promise<boolean> {
  const query = tx.db
    .selectFrom('users')
    .innerJoin('user_meta', 'user_meta.user_id', 'users.id')
    .select('users.id')
    .where('users.password_hash', '!=', '')
    .where('user_meta.key', '=', 'roles')
    .where('user_meta.value', 'like', '%"administrator"%')
  return (await tx.first(query.limit(1))) !== undefined
}
