import { serve, type ServeOptions, type Site } from './site.ts'

type Write = (text: string, done: (error?: Error) => void) => void

/** Starts a site with a replacement for the standard output. */
export async function startedWith(write: Write, options: ServeOptions): Promise<Site> {
  const { stdout } = process
  const before = stdout.write.bind(stdout)
  // The other signatures are not used for printing.
  stdout.write = write as typeof before
  try {
    return await serve(options)
  } finally {
    stdout.write = before
  }
}

/** A site whose first start has created the sample and an administrator. */
export interface NewSite {
  readonly site: Site
  readonly printed: string
  /** Password of the administrator `admin`. */
  readonly password: string
}

/** Starts a site and returns its output. */
export async function started(options: ServeOptions): Promise<NewSite> {
  let printed = ''
  const site = await startedWith((text, done) => {
    printed += text
    done()
  }, options)
  return { site, printed, password: /Password +(\S+)/.exec(printed)?.[1] ?? '' }
}

/** Starts a new site with the sample. */
export function newSite(options: ServeOptions = {}): Promise<NewSite> {
  return started({ ...options, plugins: { 'first-run': {}, ...options.plugins } })
}
