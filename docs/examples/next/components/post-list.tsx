import Link from 'next/link'
import { longDate } from '@/lib/text'
import type { List, Post } from '@/lib/svc'
import { Picture } from './picture'

/** A page of a list of posts, with links to the previous and next pages. */
export function PostList({ list, page, path }: { list: List<Post>; page: number; path: string }) {
  return (
    <>
      {list.items.length === 0 && <p>There are no posts yet.</p>}
      <ul className="posts">
        {list.items.map((post) => (
          <li key={post.id}>
            <Picture post={post} sizes="(min-width: 44rem) 12rem, 100vw" />
            <div>
              <h2>
                <Link
                  href={`/posts/${post.slug}`}
                  prefetch={false}
                  dangerouslySetInnerHTML={{ __html: post.title.rendered }}
                />
              </h2>
              <p className="facts">
                <time dateTime={post.date}>{longDate(post.date)}</time>
                {post._embedded?.author?.[0]?.name && <span> by {post._embedded.author[0].name}</span>}
              </p>
              <div dangerouslySetInnerHTML={{ __html: post.excerpt?.rendered ?? '' }} />
            </div>
          </li>
        ))}
      </ul>
      <nav className="paging" aria-label="Pages of the list">
        {page > 1 && (
          <Link href={`${path}?page=${page - 1}`} prefetch={false} rel="prev">
            Newer posts
          </Link>
        )}
        {page < list.pages && (
          <Link href={`${path}?page=${page + 1}`} prefetch={false} rel="next">
            Older posts
          </Link>
        )}
      </nav>
    </>
  )
}

/** Returns the page number in `?page=`, or 1. */
export function pageNumber(value: string | string[] | undefined): number {
  return Math.max(1, Math.trunc(Number(value ?? 1)) || 1)
}
