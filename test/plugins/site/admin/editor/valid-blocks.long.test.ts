import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasPackages, invalidBlocks, validatorScript } from '../../../../editor/validator.ts'
import { useChromium, type Window } from '../../../../helpers/chromium.ts'
import { fixtureContents, model, schema, withoutOrigin } from '../../../../helpers/editor-model.ts'
import { BUILT_IN_THEMES } from '../../../../../plugins/design/themes/library.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { skipIn } from '../../../../helpers/skip.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { CONVERSIONS, converted } from './classic-conversions.ts'
import { checkRandomEdits } from './random-edits.ts'

const valid = suite('blocks that the rich editor writes')
const { inBrowser, openWindow } = useChromium(valid)

/** Folder of `svc editor install --keep`, which fetches packages that are not part of this project. */
const folder = process.env['SVC_TEST_EDITOR'] ?? ''
const withPackages =
  folder !== '' && hasPackages(folder)
    ? inBrowser
    : skipIn(valid, 'SVC_TEST_EDITOR is not the folder of an editor that was installed with --keep')

/** Opens a page with the block editor's parser and block types. */
async function validatorPage(): Promise<{ page: Page; window: Window }> {
  const window = await openWindow()
  const { page } = window
  await page.goto('about:blank')
  await page.addScriptTag({ content: await validatorScript(folder) })
  return { page, window }
}

valid('are read as they were after 10,000 random edits', () => {
  checkRandomEdits({ seeds: 200, editsPerSeed: 50 })
})

withPackages('are valid in the block editor after random edits', async () => {
  const { page, window } = await validatorPage()
  await using _ = window
  const written = checkRandomEdits({ seeds: 200, editsPerSeed: 50 })
  const known = await knownInvalid(page)
  const invalid = (await invalidBlocks(page, written)).flat().filter(({ source }) => !known.has(source))
  assert.equal(invalid, [])
})

withPackages('are valid in the block editor when they are new', async () => {
  const { page, window } = await validatorPage()
  await using _ = window
  const separator = schema.node('separator')
  const contents = model.insertableBlocks.map((block) =>
    model.writeDocument(schema.node('doc', null, [schema.nodeFromJSON(block.create()), separator])),
  )
  assert.equal((await invalidBlocks(page, contents)).flat(), [])
})

withPackages('are valid in the block editor when every block of the fixtures is written again', async () => {
  const { page, window } = await validatorPage()
  await using _ = window
  const contents = fixtureContents().map(({ content }) => content)
  const written = contents.map((content) => model.writeDocument(withoutOrigin(model.readDocument(content, schema))))
  const [before, after] = [await invalidBlocks(page, contents), await invalidBlocks(page, written)]
  const worse = after.filter((blocks, index) => blocks.length > before[index]!.length)
  assert.equal(worse, [])
})

withPackages('are valid in the block editor in all patterns, templates and parts of the built-in themes', async () => {
  const { page, window } = await validatorPage()
  await using _ = window
  await using site = await serveWithUsers(filePlace)
  const { options } = site.kernel.services
  const read = async <T>(path: string) => (await site.json(`/svc/v2/${path}`, site.by('admin'))) as T[]
  const found = new Map<string, string>()
  for (const stylesheet of BUILT_IN_THEMES) {
    await options.set('theme', { stylesheet })
    for (const language of ['', 'de_DE', 'ja']) {
      await options.set('language', language)
      for (const { name, content } of await read<{ name: string; content: string }>('block-patterns/patterns'))
        found.set(`${name} ${language}`, content)
      for (const type of ['templates', 'template-parts'])
        for (const { id, content } of await read<{ id: string; content: { raw: string } }>(`${type}?context=edit`))
          found.set(`${type} ${id} ${language}`, content.raw)
    }
  }
  assert.ok(found.size > 100, String(found.size))
  const invalid = await invalidBlocks(page, [...found.values()])
  assert.equal(
    [...found.keys()].flatMap((name, index) => invalid[index]!.map((block) => ({ in: name, ...block }))),
    [],
  )
})

withPackages('are valid in the block editor when classic content was converted', async () => {
  const { page, window } = await validatorPage()
  await using _ = window
  const fixtures = fixtureContents().map(({ content }) => content)
  const contents = [
    ...CONVERSIONS.map(([, content]) => content),
    ...fixtures.filter((text) => text.trim() !== '' && !text.includes('<!-- wp:')),
  ]
  assert.equal((await invalidBlocks(page, contents.map(converted))).flat(), [])
})

/** Sources of the blocks in the fixtures that the block editor calls invalid. */
async function knownInvalid(page: Page): Promise<Set<string>> {
  const contents = fixtureContents().map(({ content }) => content)
  return new Set((await invalidBlocks(page, contents)).flat().map(({ source }) => source))
}

valid.run()
