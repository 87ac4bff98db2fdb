import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Manifest } from '../../../../plugins/site/editor/manifest.ts'

const FILES = {
  'editor-A1.js': ['text/javascript; charset=UTF-8', 'document.title = "edited"'],
  'editor-B2.css': ['text/css; charset=UTF-8', 'body { margin: 0 }'],
  'resizing-D4.js': ['text/javascript; charset=UTF-8', 'resize()'],
  'canvas-C3.css': ['text/css; charset=UTF-8', 'p { margin: 0 }'],
} as const

/** A folder for the block editor, empty until `fill` is called. */
export interface EditorFolder extends AsyncDisposable {
  readonly folder: string
  /** Writes a fake bundle. */
  fill(change?: Partial<Manifest>): Promise<void>
}

export async function editorFolder(): Promise<EditorFolder> {
  const above = await mkdtemp(join(tmpdir(), 'editor-'))
  const folder = join(above, 'editor')
  return {
    folder,
    async fill(change = {}) {
      const inside = join(folder, 'bundle-0123456789abcdef')
      await mkdir(inside, { recursive: true })
      const files: Record<string, Manifest['files'][string]> = {}
      for (const [name, [type, text]] of Object.entries(FILES)) {
        if (name.startsWith('resizing-') && name !== change.resizing) continue
        const compressed = brotliCompressSync(text)
        await writeFile(join(inside, name), text)
        await writeFile(join(inside, `${name}.br`), compressed)
        files[name] = { type, bytes: text.length, compressed: compressed.length }
      }
      const manifest: Manifest = {
        set: 'another',
        installed: '2026-01-02T03:04:05.000Z',
        folder: 'bundle-0123456789abcdef',
        script: 'editor-A1.js',
        style: 'editor-B2.css',
        canvas: 'canvas-C3.css',
        resizing: null,
        files,
        packages: { leaf: '1.2.3' },
        ...change,
      }
      await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
    },
    [Symbol.asyncDispose]: () => rm(above, { recursive: true, force: true }),
  }
}
