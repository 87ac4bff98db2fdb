import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Article } from '@/components/article'
import { getPage } from '@/lib/svc'
import { plainText } from '@/lib/text'

export async function generateMetadata({ params }: PageProps<'/[slug]'>): Promise<Metadata> {
  const page = await getPage((await params).slug)
  return page === undefined ? {} : { title: plainText(page.title.rendered) }
}

/** A page of the site. */
export default async function SitePage({ params }: PageProps<'/[slug]'>) {
  const page = await getPage((await params).slug)
  if (page === undefined) notFound()
  return <Article post={page} dated={false} />
}
