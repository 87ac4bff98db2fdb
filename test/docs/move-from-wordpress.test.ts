import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaults } from '../../plugins/index.ts'
import { KNOWN_PLUGINS } from '../../plugins/compat/known-data.ts'
import { serve } from '../helpers/site.ts'
import { garden, rows } from '../plugins/operations/importer/importing.ts'
import { importFrom, serveGarden } from '../plugins/operations/importer/live/old-site.ts'
import { root } from './blocks.ts'

const guide = suite('tables of the guide "Move from WordPress"')
const text = await readFile(join(root, 'docs/guides/move-from-wordpress.md'), 'utf8')

/** Rows of the table with a column of this title, as cells. */
function tableWith(title: string): string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${title} |`))
  assert.ok(start >= 0, title)
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  return lines.slice(start + 2, end === -1 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

guide('name each plugin whose data an import recognizes, with the plugin that serves it', () => {
  const optional = new Set(defaults.filter((plugin) => 'startsIf' in plugin).map(({ name }) => name))
  const described = tableWith('plugin of WordPress').flatMap(([names = '', here = '']) => {
    const servedBy = [...here.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!)
    for (const name of servedBy) assert.ok(optional.has(name), name)
    const needsOptions = here.includes('options with a site file')
    return names.split(', ').map((name) => ({ name, servedBy, needsOptions }))
  })
  const known = KNOWN_PLUGINS.map(({ name, servedBy, ...data }) => {
    const inExports = ['contentTypes', 'taxonomies', 'metaKeys', 'metaValues'].some((key) => key in data)
    return { name, servedBy: [...servedBy], needsOptions: servedBy.length > 0 && !inExports }
  })
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
  assert.equal(described.toSorted(byName), known.toSorted(byName))
})

/** The kind in the report for each row of the table that both imports bring. */
const COUNTED: Readonly<Record<string, RegExp>> = {
  'posts, pages, items of other types': /^(?:post|page) items$/,
  revisions: /^revision items$/,
  'categories, tags, terms of other taxonomies': /^(?:category|post_tag) terms$/,
  comments: /^comments$/,
  'media files': /^attachment items$/,
  menus: /^nav_menu(?:_item items| terms)$/,
  users: /^users$/,
}

guide('state what imports of an export and of a running site bring', async () => {
  await using old = await serveGarden()
  await using fromFile = await serve()
  await using fromSite = await serve()
  const file = await fromFile.kernel.services.importer.run({ source: createReadStream(garden) })
  const live = await importFrom(fromSite, old.home, { compare: 'none' })
  const table = tableWith('content')
  for (const [content, inExport = '', inLive = ''] of table) {
    const kinds = COUNTED[content!]
    if (kinds === undefined) continue
    assert.match(inExport, /^(?:yes|if the export)/, content)
    assert.match(inLive, /^yes/, content)
    for (const { counts } of [file, live]) {
      const imported = Object.entries(counts).flatMap(([kind, count]) => (kinds.test(kind) ? [count.imported] : []))
      assert.ok(imported.length > 0 && imported.every((count) => count > 0), content)
    }
  }
  const cells = new Map(table.map(([content = '', ...columns]) => [content, columns]))
  assert.equal(
    Object.keys(COUNTED).filter((content) => !cells.has(content)),
    [],
  )
  assert.equal(cells.get('passwords of users'), ['no', 'no'])
  for (const { store } of [fromFile, fromSite]) {
    const hashes = (await rows(store, 'users')).map((user) => user['password_hash'])
    assert.equal(hashes.filter(Boolean), [])
  }
  assert.match(cells.get('widgets')!.join(), /^no.*,no/)
})

guide.run()
