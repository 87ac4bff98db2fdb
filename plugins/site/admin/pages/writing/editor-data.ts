import type { AdminView } from '../../frame/view.ts'
import type { Shown } from './shown.ts'

/** A color of the theme. */
interface Color {
  readonly name: string
  readonly slug: string
  readonly color: string
}

/** Returns the data that the rich editor needs besides the form. */
export async function editorData(view: AdminView, { kind }: Shown): Promise<Readonly<Record<string, unknown>>> {
  const { plugin } = view
  return {
    mark: plugin.branding.blockMark,
    route: kind.route,
    titles: blockTitles(view),
    colors: await themeColors(view),
    canUpload: view.can('upload_files'),
    maxUploadBytes: plugin.config.limits.bodyLimit,
    modules: plugin.services.admin
      .modules()
      .filter(({ editor }) => editor === true)
      .map(({ name }) => name),
  }
}

/** Returns the palette of the theme; the colors of users and themes replace the default ones. */
async function themeColors({ plugin, t }: AdminView): Promise<readonly Color[]> {
  if (!plugin.has('global-styles')) return []
  const { settings } = await plugin.services.globalStyles.merged()
  const palette = (settings?.['color'] as { palette?: Record<string, readonly Color[] | undefined> } | undefined)
    ?.palette
  const { custom = [], theme = [], default: initial = [] } = palette ?? {}
  const colors = custom.length + theme.length > 0 ? [...theme, ...custom] : initial
  return colors.map(({ name, slug, color }) => ({ name: t(name), slug, color }))
}

/** Returns the names of block types for users. */
const blockTitles = ({ t }: AdminView) => ({
  'core/paragraph': t('Paragraph'),
  'core/heading': t('Heading'),
  'core/list': t('List'),
  'core/list-item': t('List item'),
  'core/quote': t('Quote'),
  'core/code': t('Code'),
  'core/preformatted': t('Preformatted text'),
  'core/verse': t('Verse'),
  'core/table': t('Table'),
  'core/image': t('Image'),
  'core/gallery': t('Gallery'),
  'core/embed': t('Embed'),
  'core/file': t('File'),
  'core/audio': t('Audio'),
  'core/video': t('Video'),
  'core/separator': t('Separator'),
  'core/buttons': t('Buttons'),
  'core/button': t('Button'),
  'core/columns': t('Columns'),
  'core/column': t('Column'),
  'core/group': t('Group'),
  'core/details': t('Details'),
  'core/footnotes': t('Footnotes'),
  'core/block': t('Pattern'),
  'core/html': t('HTML'),
  'core/shortcode': t('Shortcode'),
  'core/more': t('“Read more” mark'),
  'core/nextpage': t('Page break'),
  'core/spacer': t('Spacer'),
})
