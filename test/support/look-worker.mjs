// Answers one statement at a time for a thread that waits, because tests look at SQLite without waiting, too.
import { workerData } from 'node:worker_threads';
import pg from 'pg';

const { port, signal } = workerData;
const READ = {
  16: (text) => (text === 't' ? 1n : 0n),
  20: BigInt,
  21: BigInt,
  23: BigInt,
  1082: String,
  1114: String,
  1700: Number,
};
const types = { getTypeParser: (oid, format) => READ[oid] ?? pg.types.getTypeParser(oid, format) };
const clients = new Map();

async function clientOf(url, schemas) {
  const name = `${schemas} ${url}`;
  const known = clients.get(name);
  if (known) return known;
  const options = `-c search_path=${schemas} -c lock_timeout=5000`;
  const client = new pg.Client({ connectionString: url, options, types });
  client.on('error', () => clients.delete(name));
  client.on('end', () => clients.delete(name));
  await client.connect();
  clients.set(name, client);
  return client;
}

async function answerTo({ url, schemas, text, values, rowMode }) {
  try {
    const client = await clientOf(url, schemas);
    if (text !== undefined) return { rows: [await client.query({ text, values, rowMode })].flat().at(-1).rows };
    await client.end();
    return { rows: [] };
  } catch ({ message }) {
    return { rows: [], message };
  }
}

port.on('message', async (question) => {
  port.postMessage(await answerTo(question));
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
