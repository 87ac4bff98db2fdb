import type { Metadata } from 'next'
import Link from 'next/link'
import { connection } from 'next/server'
import type { ReactNode } from 'react'
import { getCategories, getMenu, getSite } from '@/lib/svc'
import './site.css'

export async function generateMetadata(): Promise<Metadata> {
  // Pages are rendered on request, from cached API responses, so a build does not need the REST API.
  await connection()
  const { name, description } = await getSite()
  return { title: { default: name, template: `%s – ${name}` }, description }
}

export default async function Layout({ children }: { children: ReactNode }) {
  await connection()
  const [site, menu, categories] = await Promise.all([getSite(), getMenu(), getCategories()])
  return (
    <html lang="en">
      <body>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <p className="site">
            <Link href="/" prefetch={false}>
              {site.name}
            </Link>
            <span>{site.description}</span>
          </p>
          <nav aria-label="Menu">
            {menu.map(({ id, href, title }) => (
              <Link key={id} href={href} prefetch={false} dangerouslySetInnerHTML={{ __html: title }} />
            ))}
          </nav>
        </header>
        <main id="main">{children}</main>
        <footer>
          <nav aria-label="Categories">
            {categories.map(({ slug, name }) => (
              <Link key={slug} href={`/categories/${slug}`} prefetch={false}>
                {name}
              </Link>
            ))}
          </nav>
        </footer>
      </body>
    </html>
  )
}
