import { definePlugin, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { warnAboutPermissions } from '../../storage/store/index.ts'
import { ALT_KEY, DECORATIVE_KEY, FILE_KEY, FOCAL_POINT_KEY, LATER_FILE_KEY, METADATA_KEY } from '../meta-keys.ts'
import type { ListedPost } from '../posts/index.ts'
import { MediaController } from './controller.ts'
import { checkWritable } from './files/check-writable.ts'
import { FileAccess } from './files/file-access.ts'
import { fileModes } from './files/file-modes.ts'
import { FileServer } from './files/file-server.ts'
import { FileTasks } from './files/file-tasks.ts'
import { UploadStorage } from './files/upload-storage.ts'
import { mediaHooks } from './hooks.ts'
import { completeImages } from './images/content-images.ts'
import { createImageSizes, type ImageSizes } from './images/image-sizes.ts'
import { registerReferences } from './references.ts'
import { MediaService } from './service.ts'
import { followSizeSettings, registerMediaSettings } from './settings.ts'
import { registerShortcodes } from './shortcodes/index.ts'

export { cleanAltText } from './alt-text.ts'
export { dimensionsOf, filesOf, type AttachmentData, type FocalPoint, type ImageVersion } from './attachment-data.ts'
export { fileModes, makeFolder, type FileModes } from './files/file-modes.ts'
export type { UploadCount } from './attachment-queries.ts'
export type { FileName } from './files/file-name.ts'
export { FileServer } from './files/file-server.ts'
export { addPlaceTask, deletePlaceTask, type FileTasks } from './files/file-tasks.ts'
export type { FileUsage, FileUse } from './files/file-usage.ts'
export type { FileKind, FileTypes } from './files/file-types.ts'
export { isSafePath } from './files/safe-path.ts'
export { hasEnded, processId } from './files/process-id.ts'
export { exists, filesBelow, makeStaging, placeStaged } from './files/staging.ts'
export type { Upload } from './files/upload.ts'
export type { NewFile, StoredFile, UploadStorage, LaterVersion, StoredImage } from './files/upload-storage.ts'
export type { Dimensions, ImageSize, ImageSizes } from './images/image-sizes.ts'
export type { ImageChange } from './images/edit-image.ts'
export type { ImageLimits } from './images/image-versions.ts'
export type { SentVersion, SubSize } from './later-files.ts'
export type { AttachmentPost } from './reader.ts'
export type { MediaService } from './service.ts'
export type { StoreOptions } from './writer.ts'
export type { FeaturedImage } from './images/image-markup.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Sizes of the image versions that are stored with each image.
     * @example
     * services.imageSizes.register('poster', { width: 600, height: 900, crop: true })
     */
    imageSizes: ImageSizes
    /**
     * Files of attachments.
     * @example
     * const file = await services.media.store({ name: 'leaf.png', data: bytes }, request.user)
     */
    media: MediaService
  }
}

interface MediaOptions {
  /** Seconds for which browsers and caches use a file without revalidating it. */
  max_age: number
  /** Maximum pixels of an image (half as many for AVIF); larger images would need too much memory to decode. */
  max_pixels: number
  /**
   * Maximum pixels of the longer side of a displayed photo; the original is stored with it. 0 displays every original.
   */
  max_side: number
  /**
   * Whether the file of a restricted attachment is sent only to users who may read the attachment, unless published
   * content shows it. If off, any client that knows the URL of a file can read it.
   */
  private_files: boolean
  /** Whether clients may upload image versions that they created, as editors in newer browsers do. */
  client_resizing: boolean
  /** Seconds between attempts to delete files whose deletion failed or that another process abandoned. */
  sweep_interval: number
}

/** Serves the routes of attachments and the files of the uploads folder, and completes images in content. */
export default definePlugin<MediaOptions>({
  name: 'media',
  needs: [
    'site-requests',
    'resources',
    'store',
    'posts',
    'settings',
    'roles',
    'content-types',
    'meta',
    'permalinks',
    'html',
    'content-rendering',
  ],
  provides: ['imageSizes', 'media'],
  // `users`: uploads on behalf of another user. `outgoing`: fetching images.
  uses: ['users', 'outgoing'],
  after: ['shortcodes'],
  options: {
    max_age: { default: 2_592_000, type: 'integer', minimum: 0 },
    max_pixels: { default: 64_000_000, type: 'integer', minimum: 1 },
    max_side: { default: 2560, type: 'integer', minimum: 0 },
    private_files: { default: true, type: 'boolean' },
    client_resizing: { default: false, type: 'boolean' },
    sweep_interval: { default: 60, type: 'integer', minimum: 1, maximum: 86_400 },
  },
  hooks: mediaHooks,
  apply(
    plugin,
    {
      max_age: maxAge,
      max_pixels: maxPixels,
      max_side: maxSide,
      private_files: isPrivate,
      client_resizing,
      sweep_interval,
    },
  ) {
    const { config, has, hooks, log, provide, services, since } = plugin
    const modes = fileModes(config)
    const tasks = new FileTasks(services.store, config.uploads, modes, log)
    const limits = { maxPixels, maxSide, timeout: config.limits.requestTimeout / 2, withAlt: plugin.since('7.1') }
    const acceptsVersions = client_resizing && plugin.since('7.1')
    const storage = new UploadStorage(config.uploads, limits, tasks, modes)
    const { registry, configure } = createImageSizes()
    registerMediaSettings(plugin, registry)
    provide('imageSizes', registry)
    const updateSizes = followSizeSettings(plugin, configure)
    const media = new MediaService(plugin, storage, tasks, { acceptsVersions, updateSizes })
    provide('media', media)
    registerReferences(plugin)

    // The REST field `meta` does not show these keys; registering them lets one statement read them with the keys that
    // it shows.
    services.meta.register('post', FILE_KEY, { type: 'string', single: true })
    services.meta.register('post', METADATA_KEY, { type: 'object', single: true })
    services.meta.register('post', ALT_KEY, { type: 'string', single: true })
    services.meta.register('post', LATER_FILE_KEY, { type: 'string', single: false })
    services.meta.register('post', FOCAL_POINT_KEY, { type: 'object', single: true })
    services.meta.register('post', DECORATIVE_KEY, { type: 'boolean', single: true })
    services.contentTypes.change('attachment', {
      show_in_rest: true,
      rest_controller_class: class extends MediaController {
        /** Uses the context of this plugin, regardless of the plugin that constructs the controller. */
        constructor(_context: PluginContext, name: string) {
          super(plugin, name, { clientResizing: acceptsVersions })
        }

        protected override tagsOf(attachment: ListedPost): readonly string[] {
          return super.tagsOf(attachment)
        }

        protected override methodsKey(attachment: ListedPost, request: RestRequest): Promise<string | null> {
          return super.methodsKey(attachment, request)
        }
      },
    })

    hooks.the_content.tapPromise({ name: 'media', stage: 30 }, (html, _post, scope) =>
      completeImages(plugin, html, scope),
    )
    if (has('shortcodes')) registerShortcodes(plugin)
    hooks.before_delete_post.tapPromise('media', async ({ id, type }) => {
      if (type === 'attachment') await media.remove(id)
    })
    addSiteIconUrl(plugin)
    if (since('7.0')) addImageRules(plugin, maxSide)
    serveFiles(plugin, new FileServer(config.uploads, maxAge, tasks, isPrivate ? new FileAccess(plugin) : null))
    runFileTasks(plugin, tasks, sweep_interval)
  },
})

/** Adds `site_icon_url` to the index, because clients show the icon before they request anything else. */
function addSiteIconUrl({ hooks, services }: PluginContext): void {
  hooks.rest_index.tapPromise('media', async (response, request) => {
    const index = response.data as { site_icon?: number; site_icon_url?: string }
    const { site_icon: id = 0 } = index
    if (id === 0 || !request.wants('site_icon_url')) return response
    index.site_icon_url = (await services.media.data({ id, guid: '', mime_type: '' }, request.scope)).url
    return response
  })
}

/** Adds the image sizes and limits to the index, for clients that resize images before uploading them. */
function addImageRules({ hooks, services }: PluginContext, maxSide: number): void {
  hooks.rest_index.tap('image-rules', (response, { user }) => {
    if (!services.capabilities.can(user, 'upload_files')) return response
    const sizes = services.imageSizes.all().map(({ name, ...size }) => [name, size] as const)
    Object.assign(response.data as object, {
      image_sizes: Object.fromEntries(sizes),
      image_size_threshold: maxSide,
      image_strip_meta: true,
      image_max_bit_depth: 16,
    })
    return response
  })
}

function serveFiles({ hooks, branding }: PluginContext, files: FileServer): void {
  hooks.site_request.tapPromise('media', async (page, request) => {
    const base = branding.uploadsPaths.find((path) => request.path.startsWith(`${path}/`))
    if (page !== null || base === undefined) return page
    const name = request.path.slice(base.length + 1)
    // In a multisite, the files of a site have an additional folder `sites/ID`.
    const ownName = name.replace(/^sites\/\d+\//, '')
    return (await files.respond(name, request)) ?? (ownName === name ? null : files.respond(ownName, request))
  })
}

/** Runs file tasks when a transaction ends, when the server starts, and at an interval. */
function runFileTasks(
  { config, hooks, log, onRemove, services }: PluginContext,
  tasks: FileTasks,
  seconds: number,
): void {
  let timer: NodeJS.Timeout | undefined
  services.store.onSettled(() => tasks.runScheduled())
  hooks.server_starting.tapPromise('media', () => checkWritable(config.uploads))
  hooks.server_listening.tapPromise('media', async () => {
    if (!config.share_uploads) await warnAboutPermissions(log, [config.uploads])
    timer = setInterval(() => void tasks.run(), seconds * 1000).unref()
    await tasks.run()
    await tasks.removeAbandoned()
  })
  onRemove(() => {
    clearInterval(timer)
    return tasks.idle()
  }, 'timer of file tasks')
}
