/** Loaded into a plug-in before its code: connections to Tinify's hosts go to the port TINIFY_PORT of this machine. */
const tls = require('node:tls');

const HOSTS = ['api.tinify.com', 'api.tinypng.com'];
const { connect } = tls;
tls.connect = (...args) => {
  const [options] = args;
  if (!HOSTS.includes(options.host)) return connect(...args);
  const here = { ...options, host: '127.0.0.1', port: Number(process.env.TINIFY_PORT) };
  return connect({ ...here, servername: options.servername || options.host }, ...args.slice(1));
};
