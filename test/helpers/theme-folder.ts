import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A themes folder with one theme, `plain`. */
export interface ThemeFolder extends AsyncDisposable {
  readonly folder: string
  /** Writes a file. `file` is relative to the folder of the theme. */
  write(file: string, text: string): Promise<void>
}

/** Creates a themes folder with one theme, `plain`: a header, a template `index` and these files. */
export async function themeFolder(files: Readonly<Record<string, string>> = {}): Promise<ThemeFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'themes-'))
  const write = async (file: string, text: string) => {
    const whole = path.join(folder, 'plain', file)
    await mkdir(path.dirname(whole), { recursive: true })
    await writeFile(whole, text)
  }
  const all = {
    'style.css':
      '/*\nTheme Name: Plain & simple\nVersion: 1.2\nAuthor: Rosa\nAuthor URI: https://rosa.example/\nTags: one, two\n*/\nbody{}',
    'templates/index.html': '<!-- wp:template-part {"slug":"header"} /-->\n',
    ...files,
  }
  for (const [file, text] of Object.entries(all)) await write(file, text)
  return {
    folder,
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
