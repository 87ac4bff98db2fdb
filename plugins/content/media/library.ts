import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { currentWork, errors as kernelErrors, Semaphore } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { FileName } from './file-names.ts'
import { escapeRegExp, partsOf, VERSION } from './file-versions.ts'
import { isPlain } from './files.ts'
import { codeOf, makeFolder, makeStage, placeAll, type Modes } from './folders.ts'
import { isReadable, makeImage, type ImageLimits, type MadeImage } from './images.ts'
import type { FileKind } from './kinds.ts'
import { filesOfNobody } from './model.ts'
import type { PendingFiles } from './pending-files.ts'
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

/** Images that wait for others to be made; each holds its file in memory. */
const MOST_WAITING = 16

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
  readonly #pending: PendingFiles
  readonly #modes: Modes
  /** One image after the other, so that memory is needed for one. */
  readonly #images = new Semaphore(1, MOST_WAITING, () => kernelErrors.rest_unavailable())
  /** Milliseconds that an image waits for those before it. */
  readonly #patience: number

  constructor(
    folder: string,
    { patience, ...limits }: ImageLimits & { patience: number },
    pending: PendingFiles,
    modes: Modes,
  ) {
    this.#patience = patience
    this.#folder = folder
    this.#limits = limits
    this.#pending = pending
    this.#modes = modes
  }

  /**
   * Keeps a file, with the smaller versions of an image, under names that are free. All of it is there at the end, or
   * nothing; it is sent to nobody, and goes again, unless `PendingFiles.claim` makes it stay.
   * @param month the folder, below the uploads: `2025/01`
   * @throws rest_upload_sideload_error, rest_upload_too_many_pixels, rest_upload_unknown_error;
   * rest_unavailable where too many other images wait; the reason for which the request was given up
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

  /**
   * The files that go with an attachment, below the folder: those that it names, and what else is there that was made of
   * its file. What another attachment has stays.
   */
  async filesToRemove(store: Store, id: number, file: unknown, metadata: unknown): Promise<string[]> {
    const [main, ...versions] = filesOf(file, metadata)
    // Two attachments of one file share its versions.
    if (main === undefined || (await filesOfNobody(store, [main], id)).length === 0) return []
    return filesOfNobody(store, [...new Set([main, ...versions, ...(await this.#versionsOf(main))])], id)
  }

  /** What is called like a version of a file, whether or not somebody has noted it. */
  async #versionsOf(file: string): Promise<string[]> {
    const { path, ending } = partsOf(file)
    const slash = path.lastIndexOf('/') + 1
    const [folder, stem] = [path.slice(0, slash), path.slice(slash)]
    if (!isPlain(file.split('/'))) return []
    const version = new RegExp(`^${escapeRegExp(stem)}${VERSION}\\.${escapeRegExp(ending)}$`)
    try {
      return (await readdir(join(this.#folder, folder)))
        .filter((name) => version.test(name))
        .map((name) => folder + name)
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
      throw error
    }
  }

  async #make(data: Buffer, type: string, sizes: readonly ImageSize[]): Promise<MadeImage> {
    const work = currentWork()
    work?.throwIfAborted()
    return this.#images.run(() => makeImage(data, type, sizes, this.#limits), {
      until: performance.now() + this.#patience,
      signal: work?.signal,
    })
  }

  /** Writes files beside the place where they belong, and gives them their names once all are whole. */
  async #place(pieces: readonly Piece[], stem: string, dot: string, month: string): Promise<string> {
    const folder = join(this.#folder, month)
    await makeFolder(folder, this.#modes)
    const stage = join(this.#folder, await makeStage(this.#folder, 'upload', this.#modes))
    try {
      const waiting = (suffix: string) => join(stage, `file${suffix}`)
      for (const { suffix, data } of pieces) await writeWhole(waiting(suffix), data, this.#modes.file)
      const there = await readdir(folder)
      const taken = new Set(there.map((name) => name.toLowerCase()))
      // Who may have a version is known by its name: no file is called like a version of another.
      const originals = new Set(there.map(originalOf))
      for (let number = 0; ; number += 1) {
        const name = number === 0 ? stem : `${stem}-${number}`
        const names = pieces.map(({ suffix }) => ({ from: waiting(suffix), to: `${name}${suffix}${dot}` }))
        const isTaken =
          originals.has(originalOf(`${name}${dot}`)) || names.some(({ to }) => taken.has(to.toLowerCase()))
        if (isTaken || !(await this.#placeAll(names, month))) continue
        return name
      }
    } finally {
      await rm(stage, { recursive: true, force: true })
    }
  }

  /** Gives files their names, all or none; false when one of them is another's. */
  async #placeAll(names: readonly { from: string; to: string }[], month: string): Promise<boolean> {
    const files = names.map(({ to }) => `${month}/${to}`)
    if (!(await this.#pending.reserve(files))) return false
    let placed = false
    try {
      placed = await placeAll(names.map(({ from, to }) => [from, join(this.#folder, month, to)]))
      return placed
    } finally {
      // What is there under one of the names is not ours.
      if (!placed) await this.#pending.claim(files)
    }
  }
}

/** What all versions of a file have in common, whatever the case of its letters. */
function originalOf(name: string): string {
  const { path, ending } = partsOf(name.toLowerCase())
  return `${path}.${ending}`
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

async function writeWhole(path: string, data: Buffer, mode: number): Promise<void> {
  await using handle = await open(path, 'wx', mode)
  await handle.writeFile(data)
  // A name must never stand for a file that the disk has not got yet.
  await handle.sync()
}
