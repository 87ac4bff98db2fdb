import type { PluginContext } from '../../../kernel/index.ts'
import { html } from '../../library/markup/index.ts'
import type { BlockEditor } from './service.ts'

/** Position of the appearance entries in the admin menu. */
const APPEARANCE_POSITION = 40

/** Adds links to the block editor to the admin while it is installed. */
export function linkFromAdmin({ hooks, services }: PluginContext, editor: BlockEditor): void {
  const { admin, contentTypes } = services
  admin.addMenu((view) =>
    editor.installed && view.can('edit_theme_options')
      ? [{ label: 'Site editor', href: editor.siteUrl, position: APPEARANCE_POSITION }]
      : [],
  )
  hooks.rest_api_init.tap({ name: 'editor', stage: 200 }, () => {
    for (const { name, supports } of contentTypes.exposed()) {
      if (!('editor' in supports)) continue
      admin.addPanel(name, {
        name: 'block-editor',
        title: 'Block editor',
        show(view, item) {
          if (!editor.installed) return null
          const id = Number(item?.['id'])
          const url = editor.urlOf(name, id > 0 ? id : undefined)
          return html`<p><a href="${url}">${view.t('Open in the block editor')}</a></p>`
        },
      })
    }
  })
}
