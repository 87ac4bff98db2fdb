import type { Page } from 'playwright-core'
import type { Callback, Test } from 'uvu'
import * as assert from 'uvu/assert'
import { hasPackages, invalidBlocks, validatorScript } from '../editor/validator.ts'
import { useChromium, type Window } from './chromium.ts'
import { model, schema, withoutOrigin } from './editor-model.ts'
import { logInByKeyboard } from './log-in.ts'
import { meaningOf } from './random-edits.ts'
import type { ServeOptions } from './site.ts'
import { serveWithUsers, type SiteWithUsers } from './site-with-users.ts'
import { skipIn } from './skip.ts'
import { filePlace } from './stores.ts'

/** A page with the rich editor. All tests of a suite share its site and its window. */
export interface Writing {
  readonly site: SiteWithUsers
  readonly window: Window
  readonly page: Page
  /** Shows a content in the rich editor. The history of changes starts again. */
  readonly show: (source: string) => Promise<void>
  /** Returns the content as the form would store it. */
  readonly source: () => Promise<string>
  /** Saves the post and returns its content. */
  readonly save: () => Promise<string>
  /** Pastes data by media type, as the browser does for Control+V. */
  readonly paste: (data: Readonly<Record<string, string>>) => Promise<void>
  /** Selects a text of the document. */
  readonly select: (text: string) => Promise<void>
}

/** Contents that the tests of this process have seen, for the validator of the block editor. */
const writtenContents = new Set<string>()

/**
 * Starts a site and a window for a suite, in which `ann` writes a new post.
 * @example const { inEditor } = useWriting(paste)
 */
export function useWriting<C>(
  suite: Test<C>,
  { login = 'ann', ...options }: ServeOptions & { login?: 'admin' | 'ann' } = {},
): { inEditor: (name: string, test: (writing: Writing) => Promise<void>) => void } {
  const { inBrowser, openWindow } = useChromium(suite)
  let writing: Writing | undefined
  suite.after(async () => {
    await writing?.window[Symbol.asyncDispose]()
    await writing?.site[Symbol.asyncDispose]()
  })
  const inEditor = (name: string, test: (writing: Writing) => Promise<void>) => {
    const run: Callback<C> = async () => {
      writing ??= await open(await serveWithUsers(filePlace, options), await openWindow(), login)
      await test(writing)
    }
    inBrowser(name, run)
  }
  return { inEditor }
}

async function open(site: SiteWithUsers, window: Window, login: 'admin' | 'ann'): Promise<Writing> {
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/new`, login)
  await page.locator('.ProseMirror').waitFor()
  return {
    site,
    window,
    page,
    async show(content) {
      await page.evaluate(`(async () => {
        const click = (mode) => document.querySelector('[data-mode="' + mode + '"]').click()
        click('html')
        await null
        document.querySelector('#field-content').value = ${JSON.stringify(content)}
        click('rich')
      })()`)
      await page.locator('.ProseMirror').focus()
    },
    source: () => page.evaluate(`new FormData(document.querySelector('#writing')).get('content')`),
    async save() {
      await page.keyboard.press('Control+s')
      await page.locator('#notices', { hasText: /Saved\.|Draft saved/ }).waitFor()
      await page.locator('.ProseMirror').waitFor()
      const [, id] = /(\d+)$/.exec(new URL(page.url()).pathname) ?? []
      const response = await site.send('GET', `/svc/v2/posts/${id}?context=edit`, null, 'admin')
      return ((await response.json()) as { content: { raw: string } }).content.raw
    },
    paste: (data) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer()
        for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text)
        const target = document.activeElement.closest('.ProseMirror')
        target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }`),
    select: (text) => selectText(page, text),
  }
}

/** Selects a text of the document, as a user does with the mouse. */
export async function selectText(page: Page, text: string): Promise<void> {
  await page.locator('.ProseMirror', { hasText: text }).waitFor()
  await page.evaluate(`{
    const root = document.querySelector('.ProseMirror')
    root.focus()
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (nodes.nextNode() && !nodes.currentNode.data.includes(${JSON.stringify(text)}));
    const start = nodes.currentNode.data.indexOf(${JSON.stringify(text)})
    getSelection().setBaseAndExtent(nodes.currentNode, start, nodes.currentNode, start + ${text.length})
  }`)
}

/**
 * Asserts that the editor knows all blocks of a content and writes them as they are, and remembers the content for the
 * validator of the block editor.
 */
export function assertValid(content: string): void {
  const doc = model.readDocument(content, schema)
  doc.descendants(({ type }) => assert.not(['classic', 'unknownBlock'].includes(type.name), content))
  const written = model.writeDocument(withoutOrigin(doc))
  assert.is(meaningOf(model.readDocument(written, schema)), meaningOf(doc))
  writtenContents.add(content)
}

/** Folder of `svc editor install --keep`, which fetches packages that are not part of this project. */
const editorFolder = process.env['SVC_TEST_EDITOR'] ?? ''

/** Declares the last test of a suite: the block editor calls the contents of `assertValid` valid. */
export function checkInBlockEditor<C>(suite: Test<C>, inEditor: ReturnType<typeof useWriting>['inEditor']): void {
  const name = 'writes only blocks that are valid in the block editor'
  if (editorFolder === '' || !hasPackages(editorFolder)) {
    skipIn(suite, 'SVC_TEST_EDITOR is not the folder of an editor that was installed with --keep')(name, () => {})
    return
  }
  inEditor(name, async ({ window: { context } }) => {
    const page = await context.newPage()
    await page.goto('about:blank')
    await page.addScriptTag({ content: await validatorScript(editorFolder) })
    assert.equal((await invalidBlocks(page, [...writtenContents])).flat(), [])
  })
}
