import type { PluginContext } from '../../../kernel/index.ts'
import type { Change } from '../../storage/store/index.ts'
import { SIZES_TAG, type ImageSize, type ImageSizes } from './images/image-sizes.ts'

/** Default sizes whose dimensions are settings. The options have the names that WordPress gives them. */
const SIZE_NAMES = ['thumbnail', 'medium', 'large'] as const

const CROP = 'thumbnail_crop'
const BY_MONTH = 'uploads_use_yearmonth_folders'
const SIZE_OPTIONS = [...SIZE_NAMES.flatMap((name) => [`${name}_size_w`, `${name}_size_h`]), CROP]

/**
 * Registers the settings of media files. The REST API does not show them.
 * @param sizes the default sizes, whose dimensions are the initial values
 */
export function registerMediaSettings({ services }: PluginContext, sizes: ImageSizes): void {
  const { settings } = services
  for (const name of SIZE_NAMES) {
    const { width, height } = sizes.get(name)!
    const size = (side: string, initial: number) =>
      ({
        type: 'integer',
        initial,
        description: `Maximum ${side} of the image size ${name} in pixels; 0 for no limit.`,
      }) as const
    settings.register(`${name}_size_w`, size('width', width))
    settings.register(`${name}_size_h`, size('height', height))
  }
  const crop = 'Whether thumbnails are cropped to their exact dimensions.'
  settings.register(CROP, { type: 'boolean', initial: true, description: crop })
  const byMonth = 'Whether new files are stored in a folder for each month.'
  settings.register(BY_MONTH, { type: 'boolean', initial: true, description: byMonth })
}

/** Returns the stored dimensions of the sizes with settings; both sides are 0 for a size that is not created. */
async function readSizes({ services }: PluginContext): Promise<ImageSize[]> {
  const stored = await services.options.many(SIZE_OPTIONS)
  const pixels = (name: string) => Math.max(0, Math.trunc(Number(stored[name]) || 0))
  return SIZE_NAMES.map((name) => {
    const [width, height] = [pixels(`${name}_size_w`), pixels(`${name}_size_h`)]
    const isCropped = name === 'thumbnail' && isOn(stored[CROP]) && width > 0 && height > 0
    return { name, width, height, crop: isCropped }
  })
}

/** Whether new files are stored in a folder for each month. */
export async function areFoldersByMonth({ services }: PluginContext): Promise<boolean> {
  return isOn(await services.options.get(BY_MONTH))
}

/** Imports can store the values of checkboxes as text. */
const isOn = (value: unknown) => value === true || value === 1 || value === '1'

/**
 * Sets the sizes to their settings at the start of the server and after each change, also of other processes.
 * @param configure sets the sizes and returns whether they changed
 * @returns a function that sets the sizes now
 */
export function followSizeSettings(
  plugin: PluginContext,
  configure: (sizes: readonly ImageSize[]) => boolean,
): () => Promise<void> {
  const { hooks, log, onRemove, services } = plugin
  const { changes } = services.store
  const update = async () => {
    // Responses that were created with the previous sizes are outdated.
    if (configure(await readSizes(plugin))) await changes.touch([SIZES_TAG])
  }
  // A loop, because each write calls this.
  const onChange = (changed: readonly Change[] | null) => {
    let concerns = changed === null
    for (const { kind, object } of changed ?? [])
      concerns ||= kind === 'all' || (kind === 'option' && SIZE_OPTIONS.includes(object))
    if (concerns) update().catch((err: unknown) => log.warn({ err }, 'reading the settings of image sizes failed'))
  }
  onRemove(changes.onCommit(onChange), 'listener for image sizes')
  onRemove(changes.onOthers(onChange), 'listener for image sizes of other processes')
  hooks.server_starting.tapPromise('image-sizes', update)
  return update
}
