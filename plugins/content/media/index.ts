import { definePlugin, RequestCache, warnOfLoose, type PluginContext } from '../../../kernel/index.ts'
import { FileAccess } from './access.ts'
import { captionShortcode } from './caption.ts'
import { withCompleteImages } from './content-images.ts'
import { MediaController } from './controller.ts'
import { ALT_KEY, factsOf, FILE_KEY, METADATA_KEY } from './facts.ts'
import { FileServer } from './files.ts'
import { modesOf } from './folders.ts'
import { galleryShortcode } from './gallery.ts'
import { mediaHooks } from './hooks.ts'
import { MediaLibrary } from './library.ts'
import { takeFromPosts, takeFromSite } from './model.ts'
import { PendingFiles } from './pending-files.ts'
import { playerShortcode } from './players.ts'
import { createImageSizes, type ImageSizes } from './sizes.ts'
import { checkWritable } from './writable.ts'

export { ALT_KEY, METADATA_KEY } from './facts.ts'
export { makeFolder, makeStage, modesOf, type Modes } from './folders.ts'
export { notePlaced, notePlacing } from './pending-files.ts'
export { plainText } from './plain-text.ts'
export { filesBelow, placeStaged } from './staged.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The sizes in which images are kept beside the original. */
    imageSizes: ImageSizes
  }
}

interface MediaOptions {
  /** Seconds for which browsers and caches use a copy of a file without asking again. */
  max_age: number
  /** Pixels that an image may have, of AVIF half as many; larger ones would take more memory to open than they are worth. */
  max_pixels: number
  /** Pixels of the longer side of a photo as it is shown; the original is kept beside it. 0 shows every original. */
  max_side: number
  /**
   * Whether the file of an attachment that not everybody may see is sent to those alone who may, unless published content
   * shows it. Off, everybody has every file whose address they know.
   */
  private_files: boolean
  /** Seconds after which files are tried again that could not be removed, or that another process has left behind. */
  sweep_interval: number
}

/** Media: the routes of attachments, the files of the uploads folder, and images in content. */
export default definePlugin<MediaOptions>({
  name: 'media',
  needs: [
    'store', 'posts', 'settings', 'roles', 'content-types', 'taxonomies', 'meta', 'extra-fields', 'terms', 'permalinks',
    'html', 'rendering',
  ], // prettier-ignore
  // Somebody may upload in the name of others.
  uses: ['users'],
  after: ['shortcodes'],
  options: {
    max_age: { default: 2_592_000, type: 'integer', minimum: 0 },
    max_pixels: { default: 64_000_000, type: 'integer', minimum: 1 },
    max_side: { default: 2560, type: 'integer', minimum: 0 },
    private_files: { default: true, type: 'boolean' },
    sweep_interval: { default: 60, type: 'integer', minimum: 1, maximum: 86_400 },
  },
  hooks: mediaHooks,
  apply(
    plugin,
    { max_age: maxAge, max_pixels: pixels, max_side: longest, private_files: privately, sweep_interval: interval },
  ) {
    const { config, hooks, log, onRemove, provide, services, branding } = plugin
    hooks.server_starting.tapPromise('media', () => checkWritable(config.uploads))
    const modes = modesOf(config)
    const pending = new PendingFiles(services.store, config.uploads, modes, log)
    const library = new MediaLibrary(
      config.uploads,
      { pixels, longest, patience: config.limits.time / 2 },
      pending,
      modes,
    )
    provide('imageSizes', createImageSizes())
    // Not shown in `meta`; known here, they are read with what is.
    services.meta.register('post', FILE_KEY, { type: 'string', single: true })
    services.meta.register('post', METADATA_KEY, { type: 'object', single: true })
    services.meta.register('post', ALT_KEY, { type: 'string', single: true })
    services.contentTypes.change('attachment', {
      rest_controller_class: class extends MediaController {
        /** Whoever makes it: what it needs is this plugin's. */
        constructor(_maker: PluginContext, name: string) {
          super(plugin, name, library, pending)
        }
      },
    })

    hooks.the_content.tapPromise({ name: 'media', stage: 30 }, async (html, _post, scope) =>
      withCompleteImages(plugin, html, scope),
    )
    if (plugin.has('shortcodes')) {
      const { shortcodes } = services
      for (const name of ['caption', `${branding.blockMark}_caption`]) {
        shortcodes.register(name, captionShortcode(plugin, branding.blockMark))
      }
      for (const kind of ['audio', 'video'] as const) {
        shortcodes.register(kind, playerShortcode(branding.blockMark, kind))
      }
      shortcodes.register('gallery', galleryShortcode(plugin, branding.blockMark))
    }

    // Files go when the transaction that deletes their attachment is through, when the server starts, and whenever the disk
    // has refused.
    let timer: NodeJS.Timeout | undefined
    onRemove(services.store.onSettled(() => pending.settled()))
    hooks.server_listening.tapPromise('media', async () => {
      if (!config.share_uploads) await warnOfLoose(log, [config.uploads])
      timer = setInterval(() => void pending.sweep(), interval * 1000).unref()
      await pending.sweep()
      await pending.tidy()
    })
    onRemove(() => {
      clearInterval(timer)
      return pending.idle()
    })
    hooks.before_delete_post.tapPromise('media', async ({ id, type }) => {
      if (type !== 'attachment') return
      await takeFromPosts(services.store, id)
      await takeFromSite(services.options, id)
      const [file, metadata] = await Promise.all(
        [FILE_KEY, METADATA_KEY].map((key) => services.meta.single('post', id, key, new RequestCache())),
      )
      await pending.condemn(await library.filesToRemove(services.store, id, file, metadata))
    })

    // Clients show it before they know anything else of the site.
    hooks.rest_index.tapPromise('media', async (response, request) => {
      const index = response.data as { site_icon?: number; site_icon_url?: string }
      const { site_icon: id = 0 } = index
      if (id === 0 || !request.wants('site_icon_url')) return response
      index.site_icon_url = (await factsOf(plugin, { id, guid: '', mime_type: '' }, request.scope)).url
      return response
    })

    const access = privately ? new FileAccess(plugin) : null
    const files = new FileServer(config.uploads, maxAge, pending, access)
    hooks.site_request.tapPromise('media', async (page, request) => {
      const base = branding.uploadsPaths.find((path) => request.path.startsWith(`${path}/`))
      if (page !== null || base === undefined) return page
      const name = request.path.slice(base.length + 1)
      // One site of several had its files a folder further down.
      const ownName = name.replace(/^sites\/\d+\//, '')
      return (await files.answer(name, request)) ?? (ownName === name ? null : files.answer(ownName, request))
    })
  },
})
