import { readdir, readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const themes = ['default', 'magazine', 'minimal']
const folderOf = (name: string) => new URL(`../../../plugins/design/themes/${name}/`, import.meta.url)
const theme = suite('built-in themes')

interface Colors {
  title: string
  settings: { color: { palette: { slug: string; color: string }[] } }
}

/** Returns the relative luminance of a color, from 0 to 1 (WCAG 2). */
function luminance(color: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

for (const name of themes)
  theme(`have a contrast of at least 4.5 for text, links and buttons in each style of ${name}`, async () => {
    const folder = folderOf(name)
    const styles = await readdir(new URL('styles/', folder))
    for (const file of ['theme.json', ...styles.map((name) => `styles/${name}`)]) {
      const { title, settings } = JSON.parse(await readFile(new URL(file, folder), 'utf8')) as Colors
      const of = (slug: string) => settings.color.palette.find((color) => color.slug === slug)!.color
      for (const text of ['contrast', 'muted', 'accent'])
        for (const ground of ['base', 'surface'])
          assert.ok(contrast(of(text), of(ground)) >= 4.5, `${title}: ${text} on ${ground}`)
    }
  })

for (const name of themes)
  theme(`contain only core blocks, all of them closed, in ${name}`, async () => {
    const folder = folderOf(name)
    for (const part of ['templates', 'parts', 'patterns']) {
      for (const file of await readdir(new URL(`${part}/`, folder))) {
        const html = await readFile(new URL(`${part}/${file}`, folder), 'utf8')
        const open: string[] = []
        for (const [, close, name, rest] of html.matchAll(/<!-- (\/)?wp:([a-z0-9/-]+)((?:(?!-->)[^])*)-->/g)) {
          assert.not.ok(name!.includes('/'), `${file}: ${name}`)
          if (close !== undefined) assert.is(open.pop(), name, file)
          else if (!rest!.trimEnd().endsWith('/')) open.push(name!)
          const attributes = rest!.trim().replace(/\/$/, '')
          if (attributes !== '') assert.type(JSON.parse(attributes), 'object', file)
        }
        assert.equal(open, [], file)
      }
    }
  })

theme.run()
