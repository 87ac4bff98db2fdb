import type { PluginContext } from '../../../kernel/index.ts'
import type { Blocks } from './service.ts'

/** Registers the block types that all API versions render: reusable blocks and shortcodes. */
export function registerServerBlocks({ branding, services }: PluginContext, blocks: Blocks): void {
  const { posts, contentRendering: rendering } = services

  blocks.register('core/block', {
    title: 'Reusable block',
    description: 'Shows a reusable block: content that is stored once and used in many places.',
    category: 'reusable',
    attributes: { ref: { type: 'integer' } },
    supports: { customClassName: false, html: false, inserter: false },
    async render_callback({ ref }, _content, { include, scope }) {
      const post = typeof ref === 'number' ? await posts.get(ref, scope) : undefined
      const isBlock = post?.type === branding.typeName('block')
      // Users who can read the surrounding post can also read a published block without a password.
      return isBlock && post.status === 'publish' && post.password === '' ? include(post.id, post.content) : ''
    },
  })

  blocks.register('core/shortcode', {
    title: 'Shortcode',
    description: 'Shows the output of a shortcode.',
    category: 'widgets',
    attributes: { text: { type: 'string' } },
    supports: { className: false, customClassName: false, html: false },
    // Unlike other blocks, its text has no paragraph tags yet.
    render_callback: (_attributes, content) => rendering.paragraphs(content),
  })
}
