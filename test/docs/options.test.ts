import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaults } from '../../plugins/index.ts'
import { configKeys } from '../../bin/config/config-keys.ts'
import { blocksOf, GUIDES, root, SERVICES } from './blocks.ts'

const options = suite('plugin options in the docs')

const declared = new Map(
  defaults.map((plugin) => [plugin.name, new Set(Object.keys((plugin.options ?? {}) as object))] as const),
)
/** Former names of options, which pages about upgrades may mention. */
const former = new Map(
  defaults.map((plugin) => [plugin.name, new Set(Object.keys((plugin.formerOptions ?? {}) as object))] as const),
)
/** Prefixes with another meaning in `prefix.name`: services, tables and config keys. */
const others = new Set([...SERVICES, ...Object.keys(configKeys), 'users', 'store', 'meta', 'settings', 'webhooks'])

const texts = new Map(
  await Promise.all(
    [...GUIDES, 'docs/architecture.md', 'CHANGELOG.md'].map(
      async (page) => [page, await readFile(join(root, page), 'utf8')] as const,
    ),
  ),
)

options('are the declared ones in each section of the reference', async () => {
  const reference = await readFile(join(root, 'docs/reference/plugins.md'), 'utf8')
  const sections = new Map(
    reference
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0]!, section] as const),
  )
  for (const [name, names] of declared) {
    const [, table = ''] = (sections.get(name) ?? '').split('| option | description | default |')
    const [rows = ''] = table.split('| route | methods |')
    const documented = [...rows.matchAll(/^\| `(\w+)` \| (.*) \| /gm)]
    assert.equal(new Set(documented.map(([, option]) => option)), names, name)
    for (const [, option, text = ''] of documented) assert.ok(text.trim().length > 5, `${name}.${option}`)
  }
})

/** Options that a text names, as `plugin.option`, or as `option` of the plugin `plugin`. */
function* named(text: string): Generator<readonly [plugin: string, option: string]> {
  for (const [, plugin = '', option = ''] of text.matchAll(/`([a-z][a-z0-9-]*)\.([a-z]\w*)`/gi))
    if (declared.has(plugin) && !others.has(plugin) && option !== 'ts') yield [plugin, option]
  for (const [, option = '', plugin = ''] of text.matchAll(/`(\w+)` (?:of|in) the\s+plugin\s+`([a-z-]+)`/g))
    if (declared.has(plugin)) yield [plugin, option]
}

const exists = (plugin: string, option: string) =>
  declared.get(plugin)?.has(option) === true || former.get(plugin)?.has(option) === true

options('exist where a sentence names them', () => {
  assert.equal(
    [...named('`site-pages.indexed` and the option `x` of the plugin `cors`')],
    [
      ['site-pages', 'indexed'],
      ['cors', 'x'],
    ],
  )
  let count = 0
  for (const [page, text] of texts) {
    for (const [plugin, option] of named(text)) {
      count += 1
      assert.ok(exists(plugin, option), `${page}: ${plugin} has no option ${option}`)
    }
  }
  assert.ok(count > 10, `${count} options`)
})

options('exist where an example sets them', async () => {
  let count = 0
  for (const { page, line, language, code } of (await Promise.all(GUIDES.map(blocksOf))).flat()) {
    if (language !== 'json' || !code.includes('"plugins"')) continue
    const { plugins = {} } = JSON.parse(code) as { plugins?: Readonly<Record<string, unknown>> }
    for (const [plugin, values] of Object.entries(plugins)) {
      if (!declared.has(plugin) || typeof values !== 'object' || values === null || 'use' in values) continue
      for (const option of Object.keys(values)) {
        count += 1
        assert.ok(exists(plugin, option), `${page}:${line}: ${plugin} has no option ${option}`)
      }
    }
  }
  assert.ok(count > 20, `${count} options`)
})

options.run()
