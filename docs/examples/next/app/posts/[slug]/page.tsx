import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Article } from '@/components/article'
import { getPost } from '@/lib/svc'
import { plainText } from '@/lib/text'

export async function generateMetadata({ params }: PageProps<'/posts/[slug]'>): Promise<Metadata> {
  const post = await getPost((await params).slug)
  return post === undefined ? {} : { title: plainText(post.title.rendered) }
}

/** A post. */
export default async function PostPage({ params }: PageProps<'/posts/[slug]'>) {
  const post = await getPost((await params).slug)
  if (post === undefined) notFound()
  return <Article post={post} />
}
