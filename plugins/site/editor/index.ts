import path from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
import { linkFromAdmin } from './admin-links.ts'
import { Bundle } from './bundle.ts'
import { addEditorCommands } from './commands.ts'
import type { BlockEditor } from './service.ts'
import { EditorUrls } from './urls.ts'

export type { BlockEditor } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * URLs of the pages that edit posts with the block editor.
     * @example
     * const { editor } = services
     * const url = editor.installed ? editor.urlOf(post.type, post.id) : null
     */
    editor: BlockEditor
  }
}

export interface EditorOptions {
  /** Folder that `svc editor install` fills, relative to the config file. */
  folder: string
}

/** The pages of the block editor, and the commands that install it. */
export default definePlugin<EditorOptions>({
  name: 'editor',
  since: '7.1',
  needs: [
    'site-requests',
    'roles',
    'content-types',
    'posts',
    'meta',
    'store',
    'settings',
    'users',
    'cookie-auth',
    'login',
    'preload',
    'themes',
    'global-styles',
    'translations',
  ],
  after: ['admin', 'media'],
  formerServices: { blockEditor: 'editor' },
  provides: ['editor'],
  options: {
    folder: { default: 'editor', type: 'string', minLength: 1 },
  },
  apply(plugin, { folder }) {
    const { branding, config, has, hooks, provide, urls } = plugin
    const bundle = new Bundle(path.resolve(config.folder, folder))
    const places = new EditorUrls(branding, urls)
    const editor: BlockEditor = {
      get installed() {
        return bundle.manifest !== null
      },
      urlOf: (type, id) => places.post(type, id),
      get siteUrl() {
        return places.site
      },
    }
    provide('editor', editor)
    if (has('admin')) linkFromAdmin(plugin, editor)
    addEditorCommands(plugin, bundle)
    hooks.site_request.tapPromise({ name: 'editor', stage: -10 }, async (page, request) => {
      if (page !== null) return page
      const editorRequest = places.read(request)
      if (editorRequest === null || bundle.manifest === null) return page
      const { respond } = await import('./pages.ts')
      return respond(plugin, places, bundle, request, editorRequest)
    })
  },
})
