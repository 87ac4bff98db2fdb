import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import packageJson from '../package.json' with { type: 'json' }

const links = suite('links of the docs')
const root = resolve(import.meta.dirname, '..')
const pages = globSync(['*.md', 'docs/**/*.md', '{kernel,bin,plugins}/**/README.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

/** Files that `npm publish` packs although package.json does not list them. */
const ALWAYS_PACKED = ['README.md', 'LICENSE', 'package.json']
const isPacked = (path: string) =>
  ALWAYS_PACKED.includes(path) ||
  packageJson.files.some((file) => matchesGlob(path, file) || path.startsWith(`${file}/`))

/** Reads the targets of the links of a page. Code contains no links. */
const targetsOf = (text: string) => {
  const prose = text
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .replace(/`([^`\n]*)`/g, (_code, inner: string) => (inner.includes('](') ? '' : `\`${inner}\``))
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** Anchors of a page: those that Git hosts derive from its headings, and explicit ones. */
const anchorsOf = (text: string) => [
  ...[...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  ),
  ...[...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id),
]

links('point to existing pages and headings, and pages of the package to pages of the package', async () => {
  const broken: string[] = []
  let followed = 0
  for (const page of pages) {
    for (const target of targetsOf(await readFile(join(root, page), 'utf8'))) {
      if (/^[a-z]+:/.test(target)) continue
      followed += 1
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? page : relative(root, resolve(root, dirname(page), file)).replaceAll('\\', '/')
      // The package contains no sources: there the path in the text of the link has to do.
      const mustBePacked = isPacked(page) && !path.endsWith('.ts')
      if (!existsSync(join(root, path))) broken.push(`${page}: ${path} does not exist`)
      else if (mustBePacked && !isPacked(path)) broken.push(`${page}: the package does not contain ${path}`)
      else if (anchor !== undefined && !anchorsOf(await readFile(join(root, path), 'utf8')).includes(anchor)) {
        broken.push(`${page}: ${path} has no heading #${anchor}`)
      }
    }
  }
  assert.ok(followed > 100, `${followed} links`)
  assert.equal(broken, [])
})

links('name no repository address while the project has none', async () => {
  for (const page of pages) {
    assert.not.match(await readFile(join(root, page), 'utf8'), /github\.com\/svc-rest\b/, page)
  }
  for (const field of ['homepage', 'repository', 'bugs']) assert.not.ok(field in packageJson, field)
})

links('lead from the index to every page of the documentation', async () => {
  const linked = new Set(
    targetsOf(await readFile(join(root, 'docs/README.md'), 'utf8')).map((target) => `docs/${target}`),
  )
  const missing = globSync('docs/{*,{guides,reference,contributing}/*}.md', { cwd: root }).filter(
    (page) => page !== 'docs/README.md' && !linked.has(page.replaceAll('\\', '/')),
  )
  assert.equal(missing, [])
})

links.run()
