import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'

/** A block that the block editor calls invalid. */
export interface InvalidBlock {
  readonly name: string
  readonly source: string
  /** Markup that the block editor expects instead. */
  readonly expected: string
}

/** Script of a page that parses contents with the block editor's packages. */
const SCRIPT = `
  import { getSaveContent, parse, setFreeformContentHandlerName } from '@wordpress/blocks'
  import { registerCoreBlocks } from '@wordpress/block-library'
  registerCoreBlocks()
  for (const level of ['log', 'info', 'warn', 'error', 'groupCollapsed']) console[level] = () => {}
  const invalid = (blocks) =>
    blocks.flatMap(({ name, attributes, innerBlocks, isValid, originalContent }) => [
      ...(isValid === false
        ? [{ name, source: originalContent ?? '', expected: getSaveContent(name, attributes, innerBlocks) }]
        : []),
      ...invalid(innerBlocks),
    ])
  globalThis.invalidBlocks = (contents) => contents.map((content) => invalid(parse(content)))
`

/** Packages that no block needs to be parsed. */
const LEFT_OUT =
  /^(?:@wordpress\/(?:vips|worker-threads|video-conversion|latex-to-mathml)|@arraypress\/waveform-player)/

/** Whether a folder contains the packages of the block editor: \`svc editor install --keep\` keeps them. */
export function hasPackages(folder: string): boolean {
  return existsSync(join(folder, 'packages/node_modules/@wordpress/blocks'))
}

/** Bundles the parser and the block types of the block editor. */
export async function validatorScript(folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: join(folder, 'packages') },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
    loader: { '.css': 'empty' },
    define: {
      'process.env.NODE_ENV': '"production"',
      'globalThis.SCRIPT_DEBUG': 'false',
      'globalThis.IS_GUTENBERG_PLUGIN': 'false',
      'globalThis.IS_WORDPRESS_CORE': 'true',
    },
    plugins: [
      {
        name: 'leave-out',
        setup(bundle) {
          bundle.onResolve({ filter: LEFT_OUT }, ({ path }) => ({ path, namespace: 'left-out' }))
          bundle.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}

/** Returns the invalid blocks of each content, in a page that runs the script. */
export function invalidBlocks(page: Page, contents: readonly string[]): Promise<InvalidBlock[][]> {
  return page.evaluate((list) => {
    const validator = globalThis as unknown as { invalidBlocks(list: readonly string[]): InvalidBlock[][] }
    return validator.invalidBlocks(list)
  }, contents)
}
