import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Article } from '@/components/article'
import { getPreview } from '@/lib/svc'

/** Search engines leave it out, and sites that it links to do not learn its URL, which has the token. */
export const metadata: Metadata = { title: 'Preview', robots: 'noindex, nofollow', referrer: 'no-referrer' }

/** What a preview link leads to. The token in the URL is all that it takes: this site knows no password. */
export default async function Preview({ searchParams }: PageProps<'/preview'>) {
  const { rest_base, id, token } = await searchParams
  const post = await getPreview(String(rest_base), String(id), String(token))
  if (post === null) notFound()
  return (
    <>
      <p className="banner" role="status">
        <strong>Preview.</strong> Only who has this link sees this page.
      </p>
      <Article post={post} />
    </>
  )
}
