import { link, mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { PluginContext } from '../../kernel/index.ts'
import { errors } from './errors.ts'
import type { FileName } from './file-names.ts'
import { isPlain } from './files.ts'
import { isReadable, makeImage, type ImageLimits, type MadeImage } from './images.ts'
import type { FileKind } from './kinds.ts'
import type { ImageSize } from './sizes.ts'

/** A file that is among the uploads now. */
export interface KeptFile {
  /** What is shown, below the uploads folder: `2025/01/photo.jpg`. */
  file: string
  /** The name it was kept under, without its ending. */
  stem: string
  /** MIME type. */
  type: string
  /** What is known of it, as it is stored. */
  metadata: Record<string, unknown>
  /** All files of it, below the uploads folder. */
  files: readonly string[]
}

/** A file to keep: what follows the stem of its name, and what it holds. */
interface Piece {
  suffix: string
  data: Buffer
}

/** What the places of files that wait are called; hidden, nobody is sent them. */
const STAGE = '.upload-'
/** Milliseconds after which what waits waits for nobody: the process that put it there is gone. */
const ABANDONED = 24 * 60 * 60 * 1000
/** Errors of file systems that know no links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** What cameras and programs say of an image; nothing of it is read. */
const IMAGE_META = {
  aperture: '0',
  credit: '',
  camera: '',
  caption: '',
  created_timestamp: '0',
  copyright: '',
  focal_length: '0',
  iso: '0',
  shutter_speed: '0',
  title: '',
  orientation: '0',
  keywords: [],
}

/** The uploads folder, as far as files come and go. */
export class MediaLibrary {
  readonly #folder: string
  readonly #limits: ImageLimits
  readonly #log: PluginContext['log']
  /** One image after the other, so that memory is needed for one. */
  #images: Promise<unknown> = Promise.resolve()
  #tidied: Promise<void> | null = null

  constructor(folder: string, limits: ImageLimits, log: PluginContext['log']) {
    this.#folder = folder
    this.#limits = limits
    this.#log = log
  }

  /**
   * Keeps a file, with the smaller versions of an image, under names that are free. All of it is there at the end, or
   * nothing.
   * @param month the folder, below the uploads: `2025/01`
   * @throws rest_upload_sideload_error, rest_upload_too_many_pixels, rest_upload_unknown_error
   */
  async keep(
    data: Buffer,
    { stem }: FileName,
    { ending, type }: FileKind,
    month: string,
    sizes: readonly ImageSize[],
  ): Promise<KeptFile> {
    const image = isReadable(type) ? await this.#make(data, type, sizes) : null
    const dot = ending === '' ? '' : `.${ending}`
    const pieces = new Map<string, Piece>([['', { suffix: '', data }]])
    const put = (suffix: string, piece: Buffer) => pieces.set(suffix, { suffix, data: piece })
    if (image?.shown) put(`-${image.shown.suffix}`, image.shown.data)
    for (const { width, height, data: made } of image?.versions.values() ?? []) put(`-${width}x${height}`, made)
    try {
      const name = await this.#place([...pieces.values()], stem, dot, month)
      const file = `${name}${image?.shown ? `-${image.shown.suffix}` : ''}${dot}`
      return {
        file: `${month}/${file}`,
        stem: name,
        type,
        metadata:
          image === null ? { filesize: data.length } : metadataOf(image, data, { month, file, name, dot }, type),
        files: [...pieces.keys()].map((suffix) => `${month}/${name}${suffix}${dot}`),
      }
    } catch (cause) {
      throw errors.rest_upload_unknown_error({ cause })
    }
  }

  /** Removes files; what is not there, or not below the folder, is left alone. */
  async remove(files: readonly string[]): Promise<void> {
    for (const file of files) {
      const parts = file.split('/')
      if (!isPlain(parts)) continue
      try {
        const [root, folder] = await Promise.all([
          realpath(this.#folder),
          realpath(join(this.#folder, ...parts.slice(0, -1))),
        ])
        if (folder === root || folder.startsWith(root + sep)) await unlink(join(folder, parts.at(-1)!))
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') this.#log.warn({ err: error, file }, 'a media file could not be removed')
      }
    }
  }

  #make(data: Buffer, type: string, sizes: readonly ImageSize[]): Promise<MadeImage> {
    const made = this.#images.then(() => makeImage(data, type, sizes, this.#limits))
    this.#images = made.catch(() => {})
    return made
  }

  /** Writes files beside the place where they belong, and gives them their names once all are whole. */
  async #place(pieces: readonly Piece[], stem: string, dot: string, month: string): Promise<string> {
    const folder = join(this.#folder, month)
    await mkdir(folder, { recursive: true })
    await (this.#tidied ??= this.#tidy())
    const stage = await mkdtemp(join(this.#folder, STAGE))
    try {
      const waiting = (suffix: string) => join(stage, `file${suffix}`)
      for (const { suffix, data } of pieces) await writeWhole(waiting(suffix), data)
      const taken = new Set((await readdir(folder)).map((name) => name.toLowerCase()))
      for (let number = 0; ; number += 1) {
        const name = number === 0 ? stem : `${stem}-${number}`
        const names = pieces.map(({ suffix }): [from: string, to: string] => [
          waiting(suffix),
          `${name}${suffix}${dot}`,
        ])
        if (names.some(([, to]) => taken.has(to.toLowerCase()))) continue
        if (await placeAll(names.map(([from, to]) => [from, join(folder, to)]))) return name
      }
    } finally {
      await rm(stage, { recursive: true, force: true })
    }
  }

  /** Removes what processes left waiting that did not live to place it. */
  async #tidy(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(STAGE)) continue
      const stage = join(this.#folder, name)
      const known = await stat(stage).catch(() => null)
      if (known !== null && Date.now() - known.mtimeMs > ABANDONED) await rm(stage, { recursive: true, force: true })
    }
  }
}

/** The files of an attachment below the uploads folder, by what is stored of it. */
export function filesOf(file: unknown, metadata: unknown): string[] {
  if (typeof file !== 'string' || file === '') return []
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const { sizes, original_image: original } = (metadata ?? {}) as { sizes?: unknown; original_image?: unknown }
  const versions = Object.values(sizes ?? {}).map((size: { file?: unknown } | null) => size?.file)
  const names = [original, ...versions].filter((name): name is string => typeof name === 'string' && name !== '')
  return [...new Set([file, ...names.map((name) => `${folder}${name.slice(name.lastIndexOf('/') + 1)}`)])]
}

function metadataOf(
  image: MadeImage,
  data: Buffer,
  { month, file, name, dot }: Record<'month' | 'file' | 'name' | 'dot', string>,
  type: string,
): Record<string, unknown> {
  const sizes = [...image.versions].map(
    ([
      size,
      {
        width,
        height,
        data: { length },
      },
    ]) => [size, { file: `${name}-${width}x${height}${dot}`, width, height, 'mime-type': type, filesize: length }],
  )
  return {
    width: image.width,
    height: image.height,
    file: `${month}/${file}`,
    filesize: (image.shown?.data ?? data).length,
    sizes: Object.fromEntries(sizes),
    image_meta: IMAGE_META,
    ...(image.shown !== null && { original_image: `${name}${dot}` }),
  }
}

async function writeWhole(path: string, data: Buffer): Promise<void> {
  await using handle = await open(path, 'wx')
  await handle.writeFile(data)
  // A name must never stand for a file that the disk has not got yet.
  await handle.sync()
}

/** Gives files their names, all or none; false when one of the names is taken meanwhile. */
async function placeAll(names: readonly (readonly [from: string, to: string])[]): Promise<boolean> {
  const placed: string[] = []
  try {
    for (const [from, to] of names) {
      await place(from, to)
      placed.push(to)
    }
    return true
  } catch (error) {
    await Promise.all(placed.map((path) => unlink(path)))
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Gives a file its name, unless another has it. */
async function place(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error
    await (await open(to, 'wx')).close()
    await rename(from, to)
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
