import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../helpers/site.ts'
import { databases } from '../helpers/site-with-users.ts'
import { blocksOf } from './blocks.ts'
import { PLUGIN_EXPORT } from './plugin-site.ts'

const page = 'docs/guides/plugins-of-wordpress.md'
const [helpers, ...snippets] = (await blocksOf(page)).filter(({ language }) => language === 'js')

/** Lines that each example prints, by its heading. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  'Menus: `menu-routes`': [/^Our shop http\S+\/shop\/$/, /^Our shop > Markets$/],
  'Custom fields: `custom-fields`': [/^From Saxony: 1\.5 kg$/, /^http\S+loaf\.jpg A round loaf$/, /^See also: Butter$/],
  'Featured images: `featured-image-fields`': [/^<img src="http\S+loaf\.jpg" alt="A round loaf" width="1200">$/],
  'Languages: `languages`': [/^fr, en: rye-bread$/, /^English, Français$/],
  'Heads of pages: `seo`': [
    /^Rye bread from Saxony \| A bread with a crust$/,
    /^index http\S+\/rye-bread\/$/,
    /^http\S+loaf\.jpg 1200$/,
    /WebPage/,
  ],
  'Contact forms: `forms`': [
    /^validation_failed Please correct the fields\.$/,
    /^your-email: Enter an email address\.$/,
  ],
}

for (const { name, place } of databases) {
  const examples = suite(`front-end code that reads fields of plugins: ${name}`)

  examples('runs without guards on a site that has imported the data of the plugins', async () => {
    await using at = await place()
    const plugins = {
      'custom-fields': true,
      'featured-image-fields': true,
      forms: true,
      languages: { fields: true },
      'menu-routes': true,
      seo: true,
    }
    const options = { database: at.url, word: 'wp', plugins }
    {
      await using site = await serve(options)
      await site.kernel.services.options.set('permalink', '/%postname%/')
      await site.kernel.services.importer.run({ source: Readable.from([Buffer.from(PLUGIN_EXPORT)]) })
    }
    // Definitions of fields and languages are read at the start.
    await using site = await serve(options)
    assert.equal(snippets.map(({ heading }) => heading).toSorted(), Object.keys(PRINTED).toSorted())
    for (const { code, heading, line } of snippets) {
      assert.not.match(code, /\?\.|\?\?|\|\||\btry\b/, `${page}:${line} has a guard`)
      const printed = await run(`${helpers!.code}\n${code}`, site.home)
      const expected = PRINTED[heading]!
      assert.is(printed.length, expected.length, `${page}:${line}: ${printed.join('\n')}`)
      for (const [at, pattern] of expected.entries()) assert.match(printed[at]!, pattern, `${page}:${line}`)
    }
  })

  examples.run()
}

/** Runs a program as an async function. Returns the lines that it prints. */
async function run(code: string, home: string): Promise<string[]> {
  const lines: string[] = []
  const print = { log: (...values: unknown[]) => void lines.push(values.join(' ')) }
  const program = code.replaceAll('https://site.example', home)
  await runInNewContext(`(async () => {${program}\n})()`, { console: print, fetch, FormData })
  return lines
}
