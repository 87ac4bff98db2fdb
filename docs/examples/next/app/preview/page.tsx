import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Article } from '@/components/article'
import { getPreview } from '@/lib/svc'

/** Excludes the page from search engines, and its URL, which contains the token, from the `Referer` header. */
export const metadata: Metadata = { title: 'Preview', robots: 'noindex, nofollow', referrer: 'no-referrer' }

/** The page of preview links. The token in the URL is the only credential. */
export default async function Preview({ searchParams }: PageProps<'/preview'>) {
  const { rest_base, id, token } = await searchParams
  const post = await getPreview(String(rest_base), String(id), String(token))
  if (post === null) notFound()
  return (
    <>
      <p className="banner" role="status">
        <strong>Preview.</strong> Only people with this link can see this page.
      </p>
      <Article post={post} />
    </>
  )
}
