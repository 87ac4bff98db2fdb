import { notFound } from 'next/navigation'
import { pageNumber, PostList } from '@/components/post-list'
import { getPosts } from '@/lib/svc'

/** The newest posts. */
export default async function Home({ searchParams }: PageProps<'/'>) {
  const page = pageNumber((await searchParams).page)
  const list = await getPosts(page)
  if (list === null) notFound()
  return (
    <>
      <h1 className="quiet">Newest posts</h1>
      <PostList list={list} page={page} path="/" />
    </>
  )
}
