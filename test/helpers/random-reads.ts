/** What a site under test may be asked, for every kind of answer that is kept. */
export const READS: readonly string[] = [
  '/posts',
  '/posts?per_page=3&page=2',
  '/posts?_embed',
  '/posts?_fields=id,title,link,sticky',
  '/posts?status=draft,future,private,trash&context=edit',
  '/posts?status=any&context=edit&per_page=100',
  '/posts?orderby=modified&order=asc',
  '/posts?orderby=title&_fields=id,slug',
  '/posts?sticky=true',
  '/posts?search=river',
  '/posts?search=river&orderby=relevance&_fields=id',
  '/posts?author=AUTHOR&_fields=id,author',
  '/posts?categories=CATEGORY',
  '/posts?tags=TAG&_embed=svc:term',
  '/posts?categories_exclude=CATEGORY&_fields=id',
  '/posts?include=POST,OTHER&orderby=include',
  '/posts?slug=SLUG',
  '/posts/POST',
  '/posts/POST?_embed',
  '/posts/POST?context=edit',
  '/posts/OTHER',
  '/posts/OTHER?_embed=author,replies',
  '/posts/POST/revisions',
  '/posts/POST/autosaves',
  '/pages',
  '/pages?parent=PAGE',
  '/pages/PAGE?_embed',
  '/pages?orderby=menu_order&order=asc',
  '/media',
  '/media?_embed',
  '/media/MEDIA',
  '/media?parent=POST',
  '/comments',
  '/comments?_embed',
  '/comments?post=POST',
  '/comments/COMMENT?_embed',
  '/comments?context=edit&status=hold',
  '/categories',
  '/categories?hide_empty=true',
  '/categories/CATEGORY',
  '/categories?post=POST',
  '/tags?orderby=count&order=desc',
  '/tags/TAG',
  '/users',
  '/users/AUTHOR',
  '/users?context=edit&roles=author',
  '/users/me?context=edit',
  '/settings',
  '/types/post?context=edit',
  '/taxonomies/category',
  '/statuses',
  '/search?search=river',
  '/search?search=cat&type=term',
  '/blocks?context=edit',
  '/blocks/BLOCK',
  '/blocks/BLOCK/revisions?context=edit',
  '/blocks/BLOCK/autosaves?context=edit',
  '/pages/PAGE/revisions',
  '/pages/PAGE/autosaves',
  '/navigation',
  '/types',
  '/taxonomies',
  '/statuses/publish',
  '/themes',
  '/block-types',
  '/block-types/core',
  '/block-types/core/block',
  '/notes',
  '/categories?parent=CATEGORY',
  '/posts?author_exclude=AUTHOR&_fields=id,author',
  '/comments?author=AUTHOR&context=edit',
  '/search?search=river&_embed',
]

/** Objects of a site by their IDs, as writes make and delete them. */
export interface RandomObjects {
  posts: number[]
  pages: number[]
  blocks: number[]
  media: number[]
  comments: number[]
  categories: number[]
  tags: number[]
}

/** A path of `READS` with the IDs of some objects. */
export function readOf(
  template: string,
  { posts, pages, blocks, media, comments, categories, tags }: RandomObjects,
  author: number,
): string {
  const names: Record<string, number | string> = {
    POST: posts[0] ?? 0,
    OTHER: posts[1] ?? 0,
    PAGE: pages[0] ?? 0,
    BLOCK: blocks[0] ?? 0,
    MEDIA: media[0] ?? 0,
    COMMENT: comments[0] ?? 0,
    CATEGORY: categories[0] ?? 0,
    TAG: tags[0] ?? 0,
    AUTHOR: author,
    SLUG: 'river-1',
  }
  return `/svc/v2${template}`.replaceAll(/\b[A-Z]{3,}\b/g, (name) => String(names[name] ?? name))
}
