import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { Subject } from './subject.ts'

/** Returns the slugs of the templates for a page, the most specific first. */
export async function templateSlugs(
  { services }: PluginContext,
  subject: Subject,
  scope: RequestCache,
): Promise<readonly string[]> {
  const { templates, posts } = services
  const chosen = async (post: Post) => {
    const own = await posts.template(post.id, scope)
    return own === '' || own === 'default' ? [] : [own]
  }
  const below = (slug: string) => templates.hierarchy({ slug })
  const { found } = subject
  if (found === null) return ['404', 'index']
  switch (found.kind) {
    case 'home':
      return ['front-page', 'home', 'index']
    case 'search':
      return ['search', 'index']
    case 'post': {
      const { post } = found
      if (subject.isPostsPage) return ['home', 'index']
      const isPrivacyPage = post.type === 'page' && (await posts.privacyPage(scope))?.id === post.id
      const first = [
        ...(subject.isFront ? ['front-page'] : []),
        ...(isPrivacyPage ? ['privacy-policy'] : []),
        ...(await chosen(post)),
      ]
      if (post.type === 'page') return [...first, `page-${post.slug}`, `page-${post.id}`, ...below('page')]
      if (post.type === 'attachment') return [...first, ...below('attachment')]
      return [...first, ...below(`single-${post.type}-${post.slug}`)]
    }
    case 'term': {
      const { id, slug, taxonomy } = found.term
      const kind = taxonomy === 'category' ? 'category' : taxonomy === 'post_tag' ? 'tag' : null
      if (kind === null) return below(`taxonomy-${taxonomy}-${slug}`)
      return [`${kind}-${slug}`, `${kind}-${id}`, ...below(kind)]
    }
    case 'author':
      return [`author-${found.user.slug}`, `author-${found.user.id}`, ...below('author')]
    case 'date':
      return below('date')
    case 'type':
      return [`archive-${found.type.name}`, ...below('archive')]
  }
}
