import Link from 'next/link'
import { longDate } from '@/lib/text'
import type { Post } from '@/lib/svc'
import { Picture } from './picture'

/** A post or a page. The server sanitizes the HTML: it contains scripts only if the author was allowed to write them. */
export function Article({ post, dated = true }: { post: Post; dated?: boolean }) {
  const author = post._embedded?.author?.[0]?.name
  const categories = post._embedded?.['svc:term']?.flat().filter(({ taxonomy }) => taxonomy === 'category') ?? []
  return (
    <article>
      <h1 dangerouslySetInnerHTML={{ __html: post.title.rendered }} />
      {dated && (
        <p className="facts">
          <time dateTime={post.date}>{longDate(post.date)}</time>
          {author && <span> by {author}</span>}
          {categories.map(({ slug, name }) => (
            <Link key={slug} href={`/categories/${slug}`} prefetch={false}>
              {name}
            </Link>
          ))}
        </p>
      )}
      <Picture post={post} sizes="(min-width: 44rem) 42rem, 100vw" />
      <div className="content" dangerouslySetInnerHTML={{ __html: post.content.rendered }} />
    </article>
  )
}
