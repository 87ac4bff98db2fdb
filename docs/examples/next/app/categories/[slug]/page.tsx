import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { pageNumber, PostList } from '@/components/post-list'
import { getCategory, getPosts } from '@/lib/svc'

export async function generateMetadata({ params }: PageProps<'/categories/[slug]'>): Promise<Metadata> {
  return { title: (await getCategory((await params).slug))?.name }
}

/** The posts of a category. The first request finds its ID by slug, because posts are filtered by category ID. */
export default async function CategoryPage({ params, searchParams }: PageProps<'/categories/[slug]'>) {
  const page = pageNumber((await searchParams).page)
  const category = await getCategory((await params).slug)
  const list = category === undefined ? null : await getPosts(page, category.id)
  if (category === undefined || list === null) notFound()
  return (
    <>
      <h1>{category.name}</h1>
      <PostList list={list} page={page} path={`/categories/${category.slug}`} />
    </>
  )
}
