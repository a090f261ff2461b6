/** Loaded into a service (node --require): a bug on demand, a failing disk, a clock 400 times as fast. */
const { existsSync } = require('node:fs');
const http = require('node:http');

const isService = /[\\/]main\.js$/.test(process.argv[1] ?? '');

/** The service checks for slow requests every 3 s, and allows them 120 s. */
const createServer = http.createServer;
http.createServer = (...args) => {
  const own = typeof args[0] === 'object' ? args[0] : {};
  const fast = { connectionsCheckingInterval: 50, requestTimeout: 300, headersTimeout: 300 };
  const server = createServer({ ...own, ...fast }, args.at(-1));
  Object.defineProperty(server, 'requestTimeout', { get: () => 300, set: () => undefined });
  return server;
};

if (isService) {
  const { response } = require('express');
  const { status } = response;
  response.status = function (code) {
    if (this.req.headers['x-test-fault'] && !this.hasMetFault) {
      this.hasMetFault = true;
      throw new TypeError('A bug, on demand');
    }
    return status.call(this, code);
  };
}

if (isService) {
  const { SqliteDatabase } = require('../../../dist/accounts/infrastructure/persistence/sqlite-driver.js');
  const statements = Object.getPrototypeOf(new SqliteDatabase(':memory:').prepare('SELECT 1'));
  for (const name of ['all', 'run']) {
    const work = statements[name];
    statements[name] = function (...parameters) {
      if (existsSync(process.env.TEST_OUTAGE_FILE)) {
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
      }
      return work.apply(this, parameters);
    };
  }
}
