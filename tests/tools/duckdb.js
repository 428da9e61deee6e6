// SPDX-License-Identifier: Apache-2.0
// Runs the queries given as words with DuckDB (scripts/readers) and prints a list of {columns, rows} as JSON, numbers as text.
const { DuckDBInstance } = require('@duckdb/node-api');

(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const results = [];
  for (const sql of process.argv.slice(2)) {
    const reader = await connection.runAndReadAll(sql);
    results.push({ columns: reader.columnNames(), rows: reader.getRows().map(row => row.map(v => v === null ? null : String(v))) });
  }
  console.log(JSON.stringify(results));
})().catch(error => {
  console.error(String(error));
  process.exit(1);
});
