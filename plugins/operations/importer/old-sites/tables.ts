import type { Kysely } from 'kysely'
import type { Migration } from '../../../../kernel/index.ts'
import type { Store } from '../../../storage/store/index.ts'

/** Kinds of objects that the map contains. */
export type MappedKind = 'post' | 'term' | 'user' | 'comment'

/** Sites from which this site has imported. */
interface SitesTable {
  id: number
  /** Normalised home URL; unique. */
  home: string
  /** Kinds whose objects keep their old IDs, joined by spaces: their tables were empty before the first import. */
  keeps: string
}

/** The objects of old sites. */
interface ObjectsTable {
  site: number
  /** An {@link MappedKind}, or `unsaved` for drafts that are not imported. */
  kind: string
  /** Taxonomy of a term, else `''`. */
  taxonomy: string
  /** ID on the old site; negative if the old site has none (see `keyOfName`). */
  old_id: number
  /** Hash of the GUID of a post, the slug of a term or the login of a user; 0 if unknown. */
  name: number
  /** ID on this site; 0 if the object was deleted here. */
  new_id: number
  /** Hash of the object as the old site has it; 0 if unknown. */
  source: number
  /** Hash of the object as the import wrote it; 0 if the import did not write it. */
  written: number
}

/** Values with references to objects that no import has brought yet. */
interface PendingTable {
  id: number
  site: number
  /** Kind of the object that has the value: an {@link MappedKind}, or `option`. */
  holder: string
  /** ID on this site; 0 for an option. */
  holder_id: number
  /** Column of the value, `meta KEY`, or the name of an option. */
  field: string
  /** JSON list of the missing objects: `[["post","",30]]`. */
  targets: string
  /** The value with the IDs of the old site. */
  source: string
  /** Hash of the value that the import wrote instead. */
  written: number
}

/** URLs of the objects of old sites. */
interface AddressesTable {
  /** Decoded path below the home URL, with a query. */
  address: string
  site: number
  /** The object, as in {@link ObjectsTable}; for the archive of a content type, `type` with the name as `taxonomy`. */
  kind: string
  taxonomy: string
  old_id: number
}

/** Media files whose URLs are not below the uploads of their old site. */
interface MediaUrlsTable {
  site: number
  /** Without scheme and query. */
  url: string
  /** Path below the uploads folder of this site. */
  file: string
}

export interface ImporterTables {
  importer__addresses: AddressesTable
  importer__media: MediaUrlsTable
  importer__sites: SitesTable
  importer__objects: ObjectsTable
  importer__pending: PendingTable
}

/** Builds queries on the tables of the importer. */
export function tablesOf(store: Pick<Store, 'db'>): Kysely<ImporterTables> {
  return store.db as unknown as Kysely<ImporterTables>
}

const KINDS: readonly MappedKind[] = ['post', 'term', 'user', 'comment']

/**
 * The map must not point to an ID that the database assigns again, and no value of a new object may be replaced by the
 * pending value of an old one. Triggers see every deletion, also cascades.
 */
const forget = (kind: MappedKind, row: string) => `
  update importer__objects set new_id = 0, written = 0 where kind = '${kind}' and new_id = ${row}.id;
  delete from importer__pending where holder = '${kind}' and holder_id = ${row}.id;`

export const migrations: readonly Migration[] = [
  {
    name: 'objects of old sites',
    sql: ({ dialect, id, integer, text }) => `
      create table importer__sites (id ${id}, home ${text} not null, keeps ${text} not null default '');
      create unique index importer__sites_home on importer__sites (home);
      create table importer__objects (
        site ${integer} not null, kind ${text} not null, taxonomy ${text} not null default '', old_id ${integer} not null,
        name ${integer} not null default 0, new_id ${integer} not null, source ${integer} not null default 0,
        written ${integer} not null default 0, primary key (site, kind, taxonomy, old_id)
      )${dialect === 'sqlite' ? ' without rowid' : ''};
      create index importer__objects_new on importer__objects (kind, new_id);
      create table importer__pending (
        id ${id}, site ${integer} not null, holder ${text} not null, holder_id ${integer} not null,
        field ${text} not null, targets ${text} not null, source ${text} not null, written ${integer} not null
      );
      create index importer__pending_site on importer__pending (site, id);
      create index importer__pending_holder on importer__pending (holder, holder_id);`,
  },
  {
    name: 'deletions of objects',
    sql: {
      sqlite: KINDS.map(
        (kind) => `
          create trigger importer__${kind}_deleted after delete on ${kind}s begin ${forget(kind, 'old')} end;`,
      ).join(''),
      postgres: KINDS.map(
        (kind) => `
          create function importer__${kind}_deleted() returns trigger language plpgsql as $$
            begin ${forget(kind, 'old')} return null; end $$;
          create trigger importer__${kind}_deleted after delete on ${kind}s
            for each row execute function importer__${kind}_deleted();`,
      ).join(''),
    },
  },
  {
    name: 'addresses of objects and media files',
    sql: ({ dialect, integer, text }) => {
      const withoutRowid = dialect === 'sqlite' ? ' without rowid' : ''
      return `
      create table importer__addresses (
        address ${text} not null, site ${integer} not null, kind ${text} not null, taxonomy ${text} not null default '',
        old_id ${integer} not null, primary key (address, site)
      )${withoutRowid};
      create table importer__media (
        site ${integer} not null, url ${text} not null, file ${text} not null, primary key (site, url)
      )${withoutRowid};`
    },
  },
]
