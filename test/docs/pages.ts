import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Site } from './example-site.ts'

/** How the examples of a page are run. */
export interface Examples {
  /** Declarations of names that the text explains, and the TypeScript examples use: `declare const price: number`. */
  readonly prelude?: readonly string[]
  /** Declarations of packages that the TypeScript examples import and the checkout lacks: `declare module 'x' { … }`. */
  readonly packages?: string
  /** Config of the site that the shell commands reach. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Files in the folder of the site, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Prepares the site for the commands. Returns the texts that replace placeholders in them. */
  readonly prepare?: (site: Site) => Promise<Readonly<Record<string, string>>>
  /** Text that each shell block prints, in the order of the page. */
  readonly prints?: readonly RegExp[]
  /** Numbers of the blocks, from 0, one of whose commands fails on purpose. */
  readonly failing?: readonly number[]
  /** Numbers of the blocks, from 0, that cannot run here, with the test that runs them elsewhere. */
  readonly coveredBy?: Readonly<Record<number, string>>
}

const files = globSync('*.ts', { cwd: join(import.meta.dirname, 'pages') })

/** The examples of guides, by page: `docs/guides/media.md` has `test/docs/pages/media.ts`. */
export const EXAMPLES: ReadonlyMap<string, Examples> = new Map(
  await Promise.all(
    files.map(async (file) => {
      const { default: examples } = (await import(`./pages/${file}`)) as { default: Examples }
      return [`docs/guides/${basename(file, '.ts')}.md`, examples] as const
    }),
  ),
)
