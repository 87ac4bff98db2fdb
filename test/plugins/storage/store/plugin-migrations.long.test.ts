import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type Migration } from '../../../../kernel/index.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { svc } from '../../../helpers/svc.ts'
import { until } from '../../../helpers/until.ts'

const kernelUrl = new URL('../../../../bin/config/index.ts', import.meta.url).href
const pluginsUrl = new URL('../../../../plugins/index.ts', import.meta.url).href

const tables: Migration = {
  name: 'tables',
  sql: ({ id, integer, text, prefix }) => `
    create table ${prefix}beds (id ${id}, name ${text} not null);
    create table ${prefix}plants (id ${id}, bed_id ${integer} not null references ${prefix}beds, name ${text} not null);
    create index ${prefix}plants_of_bed on ${prefix}plants (bed_id, name);
    create view ${prefix}names as select name from ${prefix}plants;
    insert into ${prefix}beds (name) values ('north')`,
}
const heights: Migration = {
  name: 'heights',
  sql: {
    sqlite: 'alter table garden__plants add column height integer not null default 1',
    postgres: 'alter table garden__plants add column height bigint not null default 1',
  },
}
const names: Migration = {
  name: 'fill',
  run: async (tx, { prefix }) => {
    await tx.run(sql`insert into ${sql.table(`${prefix}plants`)} (bed_id, name) values (${1}, ${'moss'})`)
  },
}

/** A plugin with routes that list and add plants. */
function garden(migrations: readonly Migration[], name = 'garden') {
  return definePlugin({
    name,
    needs: ['store', 'changes'],
    migrations,
    apply({ hooks, services }) {
      const { store } = services
      hooks.rest_api_init.tap(name, (server) =>
        server.registerRoute('garden/v1', '/plants', [
          {
            methods: 'GET',
            permission_callback: () => true,
            callback: () => store.all(sql`select * from garden__plants order by id`),
          },
          {
            methods: 'POST',
            permission_callback: () => true,
            args: { name: { type: 'string', required: true } },
            callback: async (request) =>
              store.first(
                sql`insert into garden__plants (bed_id, name) values (${1}, ${request.get('name')}) returning *`,
              ),
          },
        ]),
      )
    },
  })
}

const plant = (site: Site, name: string) =>
  site.request('/garden/v1/plants', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })

async function failure(options: Parameters<typeof serve>[0]): Promise<{ code: string; message: string }> {
  try {
    await (await serve(options))[Symbol.asyncDispose]()
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('It started.')
}

/** Starts a site with a plugin in a separate process. @param body body of the plugin's only migration */
function child(database: string, body: string) {
  const code = `
    import { completeConfig, startKernel } from ${JSON.stringify(kernelUrl)}
    import { defaults } from ${JSON.stringify(pluginsUrl)}
    const garden = { name: 'garden', needs: ['store'], apply() {}, migrations: [{ name: 'tables', run: async (tx) => { ${body} } }] }
    const config = completeConfig({ database: ${JSON.stringify(database)}, log: 'silent', plugins: { 'first-run': false } }, process.cwd())
    console.log('starts')
    const kernel = await startKernel({ config, defaults: [...defaults, garden] })
    await kernel.close()`
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
}

for (const { name, place: make } of databases) {
  const migrations = suite(`plugin migrations on ${name}`)

  migrations('run once and in order, before the plugin starts', async () => {
    await using place = await make()
    {
      await using site = await serve({ database: place.url, add: [garden([tables])] })
      assert.is((await plant(site, 'rose')).status, 200)
      assert.equal(await site.json('/garden/v1/plants'), [{ id: 1, bed_id: 1, name: 'rose' }])
    }
    const statements: string[] = []
    {
      await using site = await serve({ database: place.url, add: [garden([tables, heights, names])] })
      const stop = site.store.onStatement((statement) => statements.push(statement.sql))
      assert.equal(await site.json('/garden/v1/plants'), [
        { id: 1, bed_id: 1, name: 'rose', height: 1 },
        { id: 2, bed_id: 1, name: 'moss', height: 1 },
      ])
      stop()
      const beds = await site.store.all(sql`select name from garden__beds`)
      assert.equal(beds, [{ name: 'north' }])
      const rows = await site.store.all(
        site.store.db
          .selectFrom('plugin_migrations')
          .select(['plugin', 'position', 'name'])
          .where('plugin', '=', 'garden'),
      )
      assert.equal(
        rows.map((row) => `${row.plugin} ${row.position} ${row.name}`),
        ['garden 0 tables', 'garden 1 heights', 'garden 2 fill'],
      )
    }
    assert.is(statements.length, 1, 'requests read no migrations')
  })

  migrations('create tables whose writes are reported as changes and roll back with their transaction', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [garden([tables])] })
    const reported: string[] = []
    site.kernel.services.changes.onCommit((changes) =>
      reported.push(...changes.map(({ kind, object }) => `${kind} ${object}`)),
    )
    await plant(site, 'rose')
    assert.equal(reported, ['table garden__plants'])
    const work = site.store.transaction(async (tx) => {
      await tx.run(sql`insert into garden__plants (bed_id, name) values (${1}, ${'weed'})`)
      throw new Error('no')
    })
    await work.catch(() => {})
    assert.is((await site.json('/garden/v1/plants')).length, 1)
  })

  migrations('roll back when one fails, and report its name and plugin', async () => {
    await using place = await make()
    const half: Migration = {
      name: 'half',
      sql: 'create table garden__half (a integer); insert into garden__half values (1); create tabel garden__other (a integer)',
    }
    const { code, message } = await failure({ database: place.url, add: [garden([tables, half])] })
    assert.is(code, 'MIGRATION_FAILED')
    assert.match(message, /^The migration half of the plugin garden failed and was rolled back: .*tabel/)
    const store = await openStore(place.url)
    assert.is((await store.all(sql`select name from garden__beds`)).length, 1, 'earlier migrations remain')
    const error = await store.all(sql`select * from garden__half`).catch((reason: Error) => reason)
    assert.instance(error, Error)
    await store.close()
    await using site = await serve({
      database: place.url,
      add: [garden([tables, { ...half, sql: 'create table garden__half (a integer)' }])],
    })
    assert.equal(await site.store.all(sql`select * from garden__half`), [])
  })

  migrations('cannot create or drop objects outside the prefix of the plugin', async () => {
    await using place = await make()
    for (const [statement, created] of [
      ['create table plants (a integer)', 'table plants'],
      ['create table garden_plants (a integer)', 'table garden_plants'],
      ['create table garden__a (a integer); create index by_a on garden__a (a)', 'index by_a'],
      ['create view all_posts as select * from posts', 'view all_posts'],
    ]) {
      const { code, message } = await failure({
        database: place.url,
        add: [garden([{ name: 'one', sql: statement! }])],
      })
      assert.is(code, 'MIGRATION_NAME_FOREIGN')
      assert.match(message, `creates the ${created}: start its name with garden__`)
    }
    const drop = { name: 'one', sql: 'drop index posts_by_media' }
    const { code, message } = await failure({ database: place.url, add: [garden([drop])] })
    assert.is(code, 'MIGRATION_DROPS_FOREIGN')
    assert.match(message, 'drops the index posts_by_media')
    await using site = await serve({ database: place.url })
    assert.is((await site.get('/svc/v2/posts')).status, 200)
  })

  migrations('fail with a precise message for transaction control and invalid declarations', async () => {
    await using place = await make()
    const create = 'create table garden__half (a integer)'
    for (const [migration, expected] of [
      [{ name: 'x', sql: `${create}; commit` }, 'The migration x of the plugin garden contains "commit"'],
      [{ name: 'x', sql: `${create}; /* ; */ ROLLBACK; begin` }, 'contains "ROLLBACK"'],
      [{ name: 'x', sql: `${create};\nend` }, 'contains "end"'],
      [{ name: 'x', sql: () => `start transaction; ${create}` }, 'contains "start transaction"'],
      [
        { name: 'x', sqll: create },
        'The migration x of the plugin garden has the unknown key "sqll": did you mean sql?',
      ],
      [{ name: 'x', sql: { sqlite: 1, postgres: 1 } }, 'has no sql for'],
      [{ name: 'x' }, 'has neither sql nor run'],
      [{ sql: create }, 'The migration number 1 of the plugin garden has no name'],
      [{ name: 'a\0', sql: create }, 'has no name, or a name that a database cannot store'],
      [null, 'The migration number 1 of the plugin garden is null'],
      [{ name: 'x', run: () => Promise.reject(null) }, 'failed and was rolled back: it threw null'], // oxlint-disable-line typescript/prefer-promise-reject-errors -- as plugins in JavaScript may
    ] as const) {
      const { message } = await failure({ database: place.url, add: [garden([migration as unknown as Migration])] })
      assert.ok(message.includes(expected), `${message} for ${expected}`)
    }
    const words = `insert into garden__half values (1); -- commit;\n create index garden__by_a on garden__half (a)`
    const trigger = `create trigger garden__t after insert on garden__half begin
      update garden__half set a = case when a = 1 then 2 end; end`
    const fn = 'create function garden__f() returns integer language sql begin atomic; select 1; end'
    const body = { sqlite: `${create}; ${words}; ${trigger}`, postgres: `${create}; ${words}; ${fn}` }
    await using site = await serve({ database: place.url, add: [garden([{ name: 'x', sql: body }])] })
    assert.equal(await site.store.all(sql`select * from garden__half`), [{ a: 1 }])
  })

  migrations(
    'must not change, move or disappear after they have run, nor share a prefix with another plugin',
    async () => {
      await using place = await make()
      await (await serve({ database: place.url, add: [garden([tables, heights])] }))[Symbol.asyncDispose]()
      const codeOf = async (list: readonly Migration[], plugin = 'garden') =>
        (await failure({ database: place.url, add: [garden(list, plugin)] })).code
      const other = { ...tables, sql: 'create table garden__beds (id integer)' }
      assert.is(await codeOf([other, heights]), 'MIGRATION_CHANGED')
      assert.is(await codeOf([heights, tables]), 'MIGRATION_MOVED')
      assert.is(await codeOf([tables]), 'MIGRATION_GONE')
      assert.is(await codeOf([tables, tables]), 'MIGRATION_NAME_TAKEN')
      assert.is(await codeOf([tables], 'Garden'), 'MIGRATION_PREFIX_TAKEN')
      const laidOut = {
        ...heights,
        sql: Object.fromEntries(Object.entries(heights.sql!).map(([key, text]) => [key, `\n  ${text}\n`])),
      }
      await using site = await serve({ database: place.url, add: [garden([tables, laidOut as Migration])] })
      assert.equal(await site.json('/garden/v1/plants'), [])
    },
  )

  migrations('run once if several processes start at the same time', async () => {
    await using place = await make()
    const body = `
      await tx.script('create table garden__runs (a integer); insert into garden__runs values (1)')
      console.log('runs')
      process.stdin.resume()
      await new Promise((resolve) => process.stdin.once('end', resolve))`
    const children = [1, 2, 3].map(() => child(place.url, body))
    let out = ''
    for (const { stdout } of children) stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    await until(() => out.includes('runs') && out.match(/starts/g)?.length === 3)
    const ended = children.map(async (process) => (await once(process, 'exit'))[0])
    for (const { stdin } of children) stdin.end()
    assert.equal(await Promise.all(ended), [0, 0, 0])
    assert.is(out.match(/runs/g)?.length, 1)
    const store = await openStore(place.url)
    assert.is((await store.all(sql`select * from garden__runs`)).length, 1)
    await store.close()
  })

  migrations('run again after a process was killed in the middle of one', async () => {
    await using place = await make()
    const killed = child(
      place.url,
      `await tx.script('create table garden__runs (a integer); insert into garden__runs values (1)')
      console.log('half')
      await new Promise((resolve) => setTimeout(resolve, 60_000))`,
    )
    let out = ''
    killed.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    await until(() => out.includes('half'))
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const runs: Migration = { name: 'tables', run: (tx) => tx.script('create table garden__runs (a integer)') }
    await using site = await serve({ database: place.url, add: [garden([runs])] })
    assert.equal(await site.store.all(sql`select * from garden__runs`), [])
  })

  migrations('are removed with their tables by a command, after the plugin is switched off', async () => {
    await using place = await make()
    const extra = { name: 'more', sql: 'create table garden_shed__tools (a integer)' }
    {
      const add = [garden([tables, heights]), garden([extra], 'garden-shed')]
      // Both register the same route; that does not affect the data of the other plugin.
      await using site = await serve({ database: place.url, add })
      await plant(site, 'rose')
      await site.kernel.services.options.set('garden__state', 1)
      await site.kernel.services.options.set('garden_name', 'Eden')
    }
    const database = `--database=${place.url}`
    const needsFlag = await svc('plugins', 'remove', 'garden', database)
    assert.is(needsFlag.code, 1)
    assert.match(needsFlag.output, 'Add --data to drop the tables of garden (garden__…)')
    const { code, out } = await svc('plugins', 'remove', 'garden', '--data', database)
    assert.is(code, 0, out)
    for (const removed of [
      'table garden__plants',
      'table garden__beds',
      'view garden__names',
      'option garden__state',
    ]) {
      assert.match(out, `Removed ${removed}\n`)
    }
    assert.match(out, 'Removed the records of 2 migrations and 0 jobs of garden.')
    const again = await svc('plugins', 'remove', 'garden', '--data', database)
    assert.is(again.code, 1)
    assert.match(
      again.output,
      'No plugin garden has tables in this database. Plugins with tables: feed-reader, garden-shed, importer, oembed.',
    )
    await using site = await serve({ database: place.url, add: [garden([tables])] })
    assert.equal(await site.json('/garden/v1/plants'), [])
    assert.equal(await site.store.all(sql`select * from garden_shed__tools`), [])
    assert.is(await site.kernel.services.options.get('garden_name'), 'Eden')
  })

  migrations.run()
}

const remove = suite('svc plugins remove')

/** Kinds of objects that only PostgreSQL has, and objects that depend on them. */
const POSTGRES_OBJECTS = `
  create type garden__mood as enum ('good');
  create domain garden__height as integer;
  create type garden__place as (x integer);
  create type garden__span as range (subtype = integer);
  create function garden__f(garden__place) returns integer language sql as $$ select 1 $$;
  create procedure garden__p() language sql as $$ select 1 $$;
  create aggregate garden__g(integer) (sfunc = int4pl, stype = integer);
  create table garden__plants (mood garden__mood, height garden__height, place garden__place)`

const postgres = databases.find((one) => one.name === 'PostgreSQL')
if (postgres !== undefined) {
  remove('drops types, domains, procedures and aggregates too, whose names need the prefix', async () => {
    await using place = await postgres.place()
    const foreign = garden([{ name: 'x', sql: 'create domain height as integer' }])
    const { message } = await failure({ database: place.url, add: [foreign] })
    assert.match(message, 'creates the domain height: start its name with garden__')
    for (let round = 1; round <= 2; round += 1) {
      await (
        await serve({ database: place.url, add: [garden([{ name: 'x', sql: POSTGRES_OBJECTS }])] })
      )[Symbol.asyncDispose]()
      const { code, out } = await svc('plugins', 'remove', 'garden', '--data', `--database=${place.url}`)
      assert.is(code, 0, out)
      assert.match(out, 'Removed domain garden__height\n')
    }
  })
}

remove('fails while the config switches the plugin on, and works if the plugin cannot be loaded', async () => {
  await using place = await filePlace()
  const folder = await mkdtemp(join(tmpdir(), 'svc-'))
  const database = `--database=${place.url}`
  await (await serve({ database: place.url, add: [garden([tables])] }))[Symbol.asyncDispose]()
  const config = join(folder, 'svc.config.json')
  await writeFile(
    join(folder, 'garden.mjs'),
    `export default { name: 'garden', needs: ['store'], migrations: [{ name: 'x', sql: '' }], apply() {} }`,
  )
  await writeFile(config, JSON.stringify({ plugins: { './garden.mjs': true } }))
  const args = ['plugins', 'remove', 'garden', '--data', database, '--config', config]
  const refused = await svc(...args)
  assert.is(refused.code, 1)
  assert.match(refused.output, 'The plugin garden is still switched on by "./garden.mjs" in the config')
  const own = await svc('plugins', 'remove', 'posts', '--data', database)
  assert.match(own.output, 'The plugin posts is still switched on by "posts"')
  const listed = await svc('plugins', 'garden', '--config', config)
  assert.match(listed.out, /garden +needs store +tables garden__\*/)
  await writeFile(join(folder, 'broken.mjs'), 'broken(')
  await writeFile(config, JSON.stringify({ plugins: { './broken.mjs': true } }))
  const { code, output } = await svc(...args)
  assert.is(code, 0, output)
  assert.match(output, './broken.mjs could not be loaded')
  assert.match(output, 'Removed table garden__plants')
  await rm(folder, { recursive: true })
})

remove.run()
