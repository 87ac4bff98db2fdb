import type { Connection } from '../backend.ts'

/**
 * A trigram index that holds no text itself, and the queue of posts it has yet to see, fed by triggers. (`detail=none`
 * drops the places in the text: a quarter of the size, and a search compares the text anyway.)
 */
export async function indexTextInSqlite(connection: Connection): Promise<void> {
  await connection.exec(`
    create virtual table posts_text using fts5 (
      title, excerpt, content, content = '', contentless_delete = 1, tokenize = 'trigram', detail = none
    );
    create table posts_text_queue (post_id integer primary key);
    create trigger posts_text_insert after insert on posts begin
      insert into posts_text_queue select new.id where new.id not in (select post_id from posts_text_queue);
    end;
    create trigger posts_text_update after update of id, title, excerpt, content on posts begin
      insert into posts_text_queue select new.id where new.id not in (select post_id from posts_text_queue);
    end;
    create trigger posts_text_delete after delete on posts begin
      insert into posts_text_queue select old.id where old.id not in (select post_id from posts_text_queue);
    end`)
}

/** Trigram indexes, where the server has the extension and lets us have it; searches read every row otherwise. */
export async function indexTextInPostgres(connection: Connection): Promise<void> {
  await connection.exec('savepoint text_index')
  try {
    await connection.exec(`
      create extension if not exists pg_trgm;
      create index posts_title_text on posts using gin (title collate "default" gin_trgm_ops);
      create index posts_excerpt_text on posts using gin (excerpt collate "default" gin_trgm_ops);
      create index posts_content_text on posts using gin (content collate "default" gin_trgm_ops)`)
  } catch {
    await connection.exec('rollback to savepoint text_index')
  }
  await connection.exec('release savepoint text_index')
}
