import { definePlugin, RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import { FONT_FACE_FILE_KEY } from '../../content/meta-keys.ts'
import { FontCollectionsController } from './collections-controller.ts'
import { FontCollections } from './collections.ts'
import { FontFacesController } from './faces-controller.ts'
import { FontFamiliesController } from './families-controller.ts'
import { FOLDER } from './files.ts'

export type { CollectedFamily, FontCollection, FontCollections, RegisteredCollection } from './collections.ts'
export type { FontSettings } from './settings.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registers font collections that users can install fonts from.
     * @example
     * services.fonts.register('house', {
     *   name: 'Fonts of the house',
     *   font_families: [{ font_family_settings: { name: 'House', slug: 'house', fontFamily: 'House, serif' } }],
     * })
     */
    fonts: FontCollections
  }
}

interface FontsOptions {
  /** Maximum bytes of a font file. */
  max_file_size: number
}

/** Manages font families, their faces and files, and font collections. */
export default definePlugin<FontsOptions>({
  name: 'fonts',
  since: '6.5',
  needs: ['resources', 'posts', 'content-types', 'roles', 'media', 'meta', 'permalinks', 'store'],
  formerServices: { fontCollections: 'fonts' },
  provides: ['fonts'],
  options: { max_file_size: { default: 10_485_760, type: 'integer', minimum: 1 } },
  apply(plugin, { max_file_size: largest }) {
    const { hooks, provide, services } = plugin
    registerTypes(plugin)
    services.meta.register('post', FONT_FACE_FILE_KEY, { type: 'string' })
    const collections = new FontCollections()
    provide('fonts', collections)
    hooks.rest_api_init.tap('fonts', (server) => {
      new FontFamiliesController(plugin).register(server)
      new FontFacesController(plugin, largest).register(server)
      new FontCollectionsController(plugin, collections).register(server)
    })
    removeWithFonts(plugin)
  },
})

/** Grants all permissions on fonts to users who can edit the theme. */
function registerTypes({ branding, services }: PluginContext): void {
  const capability = 'edit_theme_options'
  const capabilities = Object.fromEntries(
    [
      'read',
      'create_posts',
      'edit_posts',
      'edit_others_posts',
      'edit_published_posts',
      'delete_posts',
      'delete_others_posts',
      'delete_published_posts',
      'publish_posts',
      'read_private_posts',
    ].map((name) => [name, capability]),
  )
  const common = { supports: ['title'], capabilities, map_meta_cap: true, rewrite: false, query_var: false } as const
  services.contentTypes.register(branding.typeName('font_family'), {
    ...common,
    labels: { name: 'Font Families', singular_name: 'Font Family' },
    show_in_rest: true,
    rest_base: 'font-families',
    rest_controller_class: false,
  })
  // The base is the pattern of the routes, which are nested below the families.
  services.contentTypes.register(branding.typeName('font_face'), {
    ...common,
    labels: { name: 'Font Faces', singular_name: 'Font Face' },
    show_in_rest: true,
    rest_base: 'font-families/(?P<font_family_id>[\\d]+)/font-faces',
    rest_controller_class: false,
  })
}

/** Deletes the faces of deleted families, and the files of deleted faces. */
function removeWithFonts({ branding, hooks, services }: PluginContext): void {
  const { media, meta, posts } = services
  const [family, face] = [branding.typeName('font_family'), branding.typeName('font_face')]
  hooks.before_delete_post.tapPromise('fonts', async ({ id, type }) => {
    const scope = new RequestCache()
    if (type === face) {
      const rows = (await meta.rows('post', id, scope)).filter(({ key }) => key === FONT_FACE_FILE_KEY)
      // Imported meta can contain arbitrary names.
      const names = rows.map(({ value }) => String(value)).filter((name) => /^[\w-]+\.\w+$/.test(name))
      await media.release(names.map((name) => `${FOLDER}/${name}`))
    }
    if (type !== family) return
    const query = {
      types: [face],
      statuses: ['publish'],
      parent: [id],
      limit: Number.MAX_SAFE_INTEGER,
      readScope: null,
    }
    const { items } = await posts.queryLean(query)
    for (const one of items) await posts.remove(one.id, { user: VISITOR, scope })
  })
}
