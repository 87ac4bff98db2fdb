import type { PluginContext } from '../../../kernel/index.ts'

/** Returns the IDs of the static front page and of the posts page; 0 if the site has no such page. */
export async function chosenPages({ services }: PluginContext): Promise<{ front: number; posts: number }> {
  const {
    show_on_front: shown,
    page_on_front: front,
    page_for_posts: posts,
  } = await services.options.many(['show_on_front', 'page_on_front', 'page_for_posts'])
  return shown === 'page' ? { front: Number(front) || 0, posts: Number(posts) || 0 } : { front: 0, posts: 0 }
}
